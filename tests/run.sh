#!/usr/bin/env bash
# Runs suites of tests/suites.txt and ends with `N passed, N failed, N skipped`. Each suite writes TAP to a log of its own
# (BUILD/test-logs). Two suites more than there are cores run at a time, since some only wait; they start in the file's order.
# A suite that plans more tests than it runs, or that fails without a failed test, counts as one failure more. So does one
# that leaves a process behind: tests/leftovers waits for all that a suite starts, names what lives on, and counts the
# processor time of everything.
# A suite that failed is run once more, alone: if it passes then, it is named as unsteady. It has failed all the same.
# `prove` would run the suites as well, but of a suite that ends without a failed test it does not show the output,
# without which nobody knows why it failed; it also takes a program with two groups of tests, which prints two plans,
# for broken.
# What the suites need is built first, and nothing else. Suites that `make test` passed within the hour, with the same files
# and the same programs, are counted by `make test-all` and not run again.
# Usage: [ONLY="folder|suite|file ..."] [FAILED=1] [FUZZ=seconds] tests/run.sh BUILD test|all
#        SUITES=file: a list of suites in place of tests/suites.txt; nothing is built for them
set -euo pipefail
cd "$(dirname "$0")/.."
export build=$1 set=$2 FUZZ=${FUZZ:-6}
CONVJUDGE_BUILD=$(realpath -m "$build")
export CONVJUDGE_BUILD CMOCKA_MESSAGE_OUTPUT=TAP OMP_WAIT_POLICY=passive # suites share the cores, so OpenMP's threads must not spin
export -n ONLY FAILED SUITES # tests/run.bats runs this script with its own
unset STAND # where `make test` was typed is not where a test stands
export CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 # a GPU of this machine is for `make test-gpu`; the tests expect the simulated one
suites=${SUITES:-tests/suites.txt} logs=$build/test-logs last=$build/test-failed record=$build/test-passed

die() { printf 'tests: %s\n' "$*" >&2; exit 2; }

# ---- which suites ---------------------------------------------------------------------------------------------------

listed() { awk '!/^#/ && NF' "$suites"; } # set, seconds, suite, command

# check_list: every folder with unit tests, and every file of whole-program tests, is in a suite.
check_list() {
    local missing
    missing=$(comm -23 <({ git ls-files '*/tests/test_*.c' | sed 's|/tests/test_[^/]*$||'; git ls-files 'tests/*.bats' | sed 's|^tests/||'; } | sort -u) \
        <(listed | awk '{ print $3 }' | sort -u)) || true
    [[ -z $missing ]] || die "tests/suites.txt has no line for: ${missing//$'\n'/, }"
}

# chosen: the lines to run. Each word of ONLY names a suite, the folder of some, a file that is a suite of its own, or one that a suite runs.
chosen() {
    local only found
    if [[ -z ${ONLY:-} ]]; then
        listed | awk -v set="$set" '$1 == set || set == "all"'
        return
    fi
    for only in $ONLY; do
        found=$(named "${only%/}")
        [[ -n $found ]] || die "ONLY=$only: tests/suites.txt has no such suite, and there is no such file; expected a folder such as grader/check, a suite such as grade.bats, or a file"
        printf '%s\n' "$found"
    done | awk '!seen[$3]++'
}
named() {
    local only=${1#./}
    if [[ $only == *.bats ]]; then
        listed | awk -v name="$(basename "$only")" '$3 == name'
    elif [[ $only == */tests/test_*.c && -e $only ]]; then
        printf 'test 0 %s unit %s\n' "$only" "$only"
    elif [[ $only == *.@(cu|patch) && -e $only ]]; then
        # shellcheck disable=SC2016 # expanded when the suite runs
        printf 'test 0 %s "$build/convjudge" check %s\n' "$only" "$only"
    else
        listed | awk -v only="$only" '
            $3 == only || index($3, only "/") == 1 || index($0 " ", " " only " ")'
    fi
}

# failed_first: the lines, those whose suites failed last time before the others.
failed_first() {
    if [[ -z ${FAILED:-} || ! -e $last ]]; then cat; return; fi
    awk 'NR == FNR { failed[$1] = 1; next } { line[++count] = $0; name[count] = $3 }
        END { for (pass = 1; pass >= 0; pass--) for (i = 1; i <= count; i++) if ((name[i] in failed) == pass) print line[i] }' "$last" -
}

# units FOLDER|FILE: the files with its unit tests; of a folder, without those that the list names by themselves.
units() {
    local source
    for source in "$1"/tests/test_*.c "$1"; do
        if [[ -f $source && ($source == "$1" || " $apart " != *" $source "*) ]]; then echo "$source"; fi
    done
}

# build_for LINES: builds what the suites need. Unit tests of the two lower layers need nothing but themselves.
build_for() {
    local name command goals=("$build/tests/leftovers") programs=()
    while read -r _ _ name command; do
        case $command in
            unit*)
                mapfile -t -O ${#programs[@]} programs < <(units "${command#unit }")
                [[ $name =~ ^(base|simgpu)(/|$) ]] || goals+=(build test-tools)
                ;;
            *tests/fuzz.sh*) goals+=(fuzz-programs) ;;
            *) goals+=(service test-tools) ;;
        esac
    done <<<"$1"
    mapfile -t goals < <(printf '%s\n' "${goals[@]}" | sort -u | grep .)
    [[ ${#programs[@]} == 0 ]] || goals+=(sanitized-unit-tests)
    make --no-print-directory --silent -j"$(nproc)" BUILD="$build" UNITS="${programs[*]%.c}" "${goals[@]}"
}

# What results depend on, as a hash: the files that git knows or would add, and what set-up found on this machine.
state_of_files() {
    { git ls-files --cached --others --exclude-standard -z | xargs -0 sha256sum; cat "$suites" build/setup.test; } 2>/dev/null |
        sha256sum | cut -c 1-64 || true
}

# passed_before: what `make test` recorded within the hour, if the files are still the same: state, suites, passed, skipped.
passed_before() {
    if [[ $set == all && -z ${ONLY:-} && -n $(find "$record" -mmin -60 2>/dev/null) ]]; then grep "^$state " "$record" || true; fi
}

# ---- how a suite runs -----------------------------------------------------------------------------------------------

unit() { # FOLDER|FILE
    local source status=0
    while read -r source; do
        echo "# $source"
        "$build/sanitize/${source%.c}" || status=1
    done < <(units "$1")
    return "$status"
}

run_suite() { # NAME COMMAND: writes LOG and LOG.count, and prints one line; of a suite that failed also why
    local name=$1 log=$logs/${1//[\/ ]/_} status=0 start=$SECONDS passed failed skipped processor
    "$build/tests/leftovers" -t "$log.times" bash -c "set -euo pipefail; source tests/needs.sh; $2" >"$log" 2>&1 </dev/null || status=$?
    printf -v processor '%.0f' "$(<"$log.times")"
    read -r passed failed skipped < <(count "$log" "$status")
    printf '%-44s %3d passed, %d failed%s  (%d s, %d s of a processor)\n' "$name" "$passed" "$failed" \
        "$([[ $skipped == 0 ]] || echo ", $skipped skipped")" $((SECONDS - start)) "$processor"
    if [[ $failed != 0 ]]; then why_failed "$log" "$status"; fi
    echo "$passed $failed $skipped $processor $name" >"$log.count"
}

why_failed() { # LOG STATUS: up to 60 lines on the failed tests, then the exit status and the last 15 lines of the log
    awk -v path="$1" -v status="$2" '
        { line[NR] = $0 }
        /^not ok/ { end = NR + 12 }
        NR <= end && shown < 60 { print; shown++; last = NR }
        END {
            printf "# %s: exit status %d, %d lines; the last ones:\n", path, status, NR
            for (i = NR - 14; i <= NR; i++) if (i > last) print line[i]
        }' "$1"
}

count() { # LOG STATUS: passed, failed and skipped tests
    awk -v status="$2" '
        /^1\.\.0 *# *[sS][kK][iI][pP]/ { skipped++ } # a whole suite
        /^1\.\.[0-9]+/ { split($0, plan, /\.\.| /); planned += plan[2] }
        /^(not )?ok .*# *(skip|SKIP)/ { skipped++; next } # cmocka writes "not ok"
        /^ok /         { passed++ }
        /^not ok /     { failed++ }
        END { missing = planned - passed - failed - skipped
              if (missing > 0) failed += missing
              if ((status != 0 || passed + failed + skipped == 0) && failed == 0) failed = 1
              print passed + 0, failed + 0, skipped + 0 }' "$1"
}
apart=$(listed | awk '$4 == "unit" && $5 ~ /[.]c$/ { print $5 }' | tr '\n' ' ')
export -f units unit run_suite count why_failed
export logs apart

# ---- at the end -----------------------------------------------------------------------------------------------------

failing() { awk '$2 != 0 { print $5 }' "$logs"/*.count; }

run_again() { # the suites that failed; with more than three it is not the machine
    local name log count=0
    count=$(failing | wc -l)
    if ((count == 0 || count > 3)); then return; fi
    while read -r name; do
        log=$logs/${name//[\/ ]/_}
        mv "$log" "$log.first"
        mv "$log.count" "$log.counted"
        echo "once more, alone: $name"
        run_suite "$name" "$(awk -v name="$name" '$3 == name' <<<"$lines" | cut -d' ' -f4-)"
        if [[ $(cut -d' ' -f2 "$log.count") == 0 ]]; then echo "$name" >>"$logs/unsteady"; fi
        mv "$log.counted" "$log.count"
    done < <(failing)
}

repeat_failures() { # the failed tests, each with the command that runs it alone
    local name log file
    while read -r name; do
        log=$logs/${name//[\/ ]/_}
        [[ ! -e $log.first ]] || log=$log.first
        { grep '^not ok ' "$log" || true; } | { grep -viE '# *skip' || true; } | head -n 20 | while read -r _ _ _ test; do
            test=${test#- }
            case $name:$test in
                *.bats:*) test="$test$(printf '\n  bats -f %q tests/%s' "^$test\$" "$name")" ;;
                *:*.cu* | *:*.patch*)
                    file=$(grep -oE '[^ ]+\.(cu|patch)' <<<"$test" | head -n 1)
                    [[ -e $file ]] || file=$name
                    test="$test$(printf '\n  make test ONLY=%s' "$file")"
                    ;;
                *) test="$test$(printf '\n  make test ONLY=%s' "$name")" ;;
            esac
            printf 'failed: %s: %s\n' "$name" "$test"
        done
        grep '^not ok ' "$log" | grep -qviE '# *skip' || printf 'failed: %s ended without a failed test\n  make test ONLY=%s\n' "$name" "$name"
    done < <(failing)
    if [[ -e $logs/unsteady ]]; then printf 'unsteady, passed alone at the second try: %s\n' "$(paste -sd ' ' "$logs/unsteady")"; fi
}

over_budget() { # a hint, not a failure: machines differ
    awk 'NR == FNR { seconds[$3] = $2; next } ($5 in seconds) && seconds[$5] > 0 && $4 > 1.5 * seconds[$5] + 2 {
            printf "over its budget of %d s of a processor (tests/suites.txt): %s, %d s\n", seconds[$5], $5, $4 }' <(listed) <(cat "$logs"/*.count)
}

skips() {
    local log
    for log in "$logs"/*.count; do
        log=${log%.count}
        grep -hiE '^(1[.][.]0|(not )?ok .*)# *skip' "$log" | sed -E 's/^.*# *[sS][kK][iI][pP](PED)?:? *//' || true
    done | sort | uniq -c | sort -rn | sed -E 's/^ *([0-9]+) (.*)/skipped: \1 tests: \2/'
}

[[ -n ${SUITES:-} ]] || check_list
state=$(state_of_files)
before=$(passed_before)
lines=$(chosen | failed_first)
if [[ -n $before ]]; then lines=$(awk '$1 != "test"' <<<"$lines"); fi
# Each line as it is run: the name stands for the folder of unit tests, and for the file of bats.
lines=$(awk '{ if ($4 == "unit" && NF == 4) $5 = $3; if ($4 == "bats") $0 = $0 " --tap tests/" $3; print }' <<<"$lines" | tr -s ' ')
[[ -n ${SUITES:-} ]] || build_for "$lines"
rm -rf "$logs" "$record"
mkdir -p "$logs"
if [[ -n $before ]]; then
    read -r _ count passed skipped <<<"$before"
    printf 'counted and not run again, since make test has passed with the same files: %d suites\n' "$count"
    echo "$passed 0 $skipped 0 make test" >"$logs/make_test.count"
fi
# shellcheck disable=SC2016 # expanded by the inner bash
run_lines() { xargs -r -d '\n' -P "$1" -n 1 bash -c 'read -r _ _ name command <<<"$1"; run_suite "$name" "$command"' _; }
awk '$1 != "alone"' <<<"$lines" | run_lines $(($(nproc) + 2))
awk '$1 == "alone"' <<<"$lines" | run_lines 1
run_again
failing >"$last"
skips
over_budget
repeat_failures
cat "$logs"/*.count | awk '{ passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""; exit failed > 0 }'
if [[ $set == test && -z ${ONLY:-} ]]; then
    cat "$logs"/*.count | awk -v state="$state" '{ passed += $1; skipped += $3 } END { print state, NR, passed, skipped + 0 }' >"$record"
fi
