#!/usr/bin/env bash
# Runs the tests and ends with `N passed, N failed`. Each suite writes TAP to a log of its own (BUILD/test-logs). Two
# suites more than there are cores run at a time, since some only wait for a time limit; long suites start first.
# Building the test programs is a suite too: the suites that need them start when it has ended.
# A suite that plans more tests than it runs, or that fails without a failed test, counts as one failure more.
# `prove` would run the suites as well, but of a suite that ends without a failed test it does not show the output,
# without which nobody knows why it failed; it also takes a program with two groups of tests, which prints two plans,
# for broken.
# A lot decides which of the suites of whole programs run, and which of the many files with a verdict are checked, other ones
# for each commit, so that a run stays below fifteen minutes: two in five of the bats suites and five of eight scripts; one
# problem whole, of the other problems' solutions and of the students' files some on fewer cases, of the attacks one in six,
# of one problem the climb, and of the ways to leak hidden data some. Unit tests run with sanitizers; LOT=all runs them
# without as well.
# The first line names the lot. The processor time of a suite leaves out processes that nobody waited for, such as compilers and
# brokers that end with their sandbox: it may be half of all.
# Up to three suites that failed beside the others run once more, each with the machine to itself: what a busy machine was
# the reason for passes then. The second result counts, and the line before the last names what was unsteady: such a suite
# has a test that wants mending. What fails twice has failed. With more failures it is not the machine, so nothing is repeated.
# Usage: [LOT=number|all] tests/run.sh BUILD [SUITES]     SUITES: a file with suites to run instead, one a line: name, tab, command
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
CONVJUDGE_BUILD=$(realpath "$build")
export CONVJUDGE_BUILD CMOCKA_MESSAGE_OUTPUT=TAP OMP_WAIT_POLICY=passive # suites share the cores, so OpenMP's threads must not spin
logs=$build/test-logs
rm -rf "$logs"
mkdir -p "$logs"

# shellcheck source=tests/lot.bash
source tests/lot.bash

scripts() { # suites that are a script each, as suites() prints them
    printf '%s\t%s\n' \
        tests/kills "tests/kills.sh $build 5" \
        'tests/worker kills' "tests/worker_kills.sh $build 4" \
        tests/service_load "tests/service_load.py $build 200 10" \
        tests/service_fuzz "tests/service_fuzz.py $build 30" \
        tests/service_kills "tests/service_kills.py $build 5" \
        tests/crowd "tests/crowd.sh $build" \
        tests/browser "/usr/bin/python3 tests/browser.py $build" \
        'tests/same verdict' "tests/same_verdict.sh $build 5"
}

suites() { # one a line: name, tab, command
    local file id whole others ways scripts
    mapfile -t whole < <(lot 1 solutions/*/)
    mapfile -t others < <(printf '%s\n' solutions/*/*/*.cu | grep -vFf <(printf '%s\n' "${whole[@]}"))
    printf 'test programs\tmake --no-print-directory --silent BUILD=%s test-programs && echo 1..1 && echo ok 1\n' "$build"
    printf 'solutions by clang\ttests/clang.sh %s\n' "$build"
    for file in $(lot 18 tests/*.bats | sort); do printf '%s\tbats --tap %s\n' "$(basename "$file")" "$file"; done
    for id in "${whole[@]}"; do printf '%s\t%s/convjudge check-problem --mutants 0 --problem %s\n' "${id%/}" "$build" "$(basename "$id")"; done
    check 'other solutions' "$(lot 24 "${others[@]}")"
    mapfile -t ways < <(tests/leaks.sh "$build" list)
    printf 'tests/leaks\ttests/leaks.sh %s %s\n' "$build" "$(lot 10 "${ways[@]}" | tr '\n' ' ')"
    check tests/student "$(lot 16 tests/student/*.cu tests/features/*.cu)"
    check tests/messages "$(lot 12 tests/messages/*.cu)"
    check tests/explain "$(lot 6 tests/explain/*/*/*.cu)"
    printf 'tests/rules\ttests/rules.sh %s %s\n' "$build" "$(lot 4 tests/explain/rules/*/ | xargs -n 1 basename | tr '\n' ' ')"
    printf 'tests/climb\ttests/climb.sh %s %s\n' "$build" "$(lot 1 tests/explain/climb/*/ | xargs -n 1 basename | tr '\n' ' ')"
    mapfile -t scripts < <(scripts)
    lot 5 "${scripts[@]}"
    check tests/attacks "$(lot 24 tests/attacks/*.cu)"
    printf 'tests/attacks/naive\ttests/attacks/naive/run.sh %s %s\n' "$build" "$(lot 8 tests/attacks/*.cu | tr '\n' ' ')"
    until [[ -e $logs/test_programs.count ]]; do sleep 1; done
    printf 'tests/circles\ttests/circles.sh %s\n' "$build"
    printf 'tests/fuzz\ttests/fuzz.sh %s 7\n' "$build"
    while read -r file; do
        if [[ -x $file ]]; then printf '%s\t%s\n' "${file#"$build"/}" "$file"; fi
    done < <(programs)
}

check() { # NAME FILES: a suite of files with verdicts, if there are any
    if [[ -n $2 ]]; then printf '%s\ttests/check.sh %s %s\n' "$1" "$build" "${2//$'\n'/ }"; fi
}

programs() { # those whose source exists; the long ones first, so that none is left alone at the end
    {
        printf '%s\n' harness/compile/tests/test_compile simgpu/engine/tests/test_faults harness/session/tests/test_gpu_session
        find base simgpu harness leaderboard grader service -path '*/tests/test_*.c' | sed 's/\.c$//' | sort
    } | awk -v build="$build" -v all="$([[ $LOT != all ]] || echo 1)" '!seen[$0]++ {
        print build "/sanitize/" $0
        if (all || /test_compile$/) print build "/" $0 # as the Makefile builds them
    }'
}

run_suite() { # NAME COMMAND: writes LOG and LOG.count, and prints one line; of a suite that failed also why
    local name=$1 log=$logs/${1//[\/ ]/_} status=0 start=$SECONDS
    printf '%s\t%s\n' "$name" "$2" >"$log.suite"
    bash -c "$2" >"$log" 2>&1 </dev/null || status=$?
    times >"$log.times" # the second line is of the children that have ended
    local passed failed processor
    processor=$(awk -F '[ms ]' 'NR == 2 { printf "%.0f", 60 * ($1 + $4) + $2 + $5 }' "$log.times")
    read -r passed failed < <(count "$log" "$status")
    printf '%-44s %3d passed, %d failed  (%d s, %d s of a processor)\n' "$name" "$passed" "$failed" $((SECONDS - start)) "$processor"
    if [[ $failed != 0 ]]; then why_failed "$log" "$status"; fi
    echo "$passed $failed" >"$log.count"
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

count() { # LOG STATUS: passed and failed tests
    awk -v status="$2" '
        /^1\.\.[0-9]+/ { split($0, plan, /\.\.| /); planned += plan[2] }
        /^not ok [0-9]+ # SKIP/ { passed++; next } # as cmocka writes it
        /^ok /         { passed++ }
        /^not ok /     { failed++ }
        END { missing = planned - passed - failed
              if (missing > 0) failed += missing
              if ((status != 0 || passed + failed == 0) && failed == 0) failed = 1
              print passed + 0, failed + 0 }' "$1"
}
export -f run_suite count why_failed
export logs

run_again() { # the suites that failed; not the test programs, without which other suites have not even begun
    local counts suite name unsteady=()
    mapfile -t counts < <(grep -Lx '[0-9]* 0' "$logs"/*.count)
    if [[ ${#counts[@]} -gt 3 || " ${counts[*]} " == *"/test_programs.count "* ]]; then return; fi
    for suite in "${counts[@]/%.count/.suite}"; do
        name=$(cut -f 1 "$suite")
        mv "${suite%.suite}" "${suite%.suite}.first"
        echo "once more, by itself: $name"
        bash -c 'run_suite "$@"' _ "$name" "$(cut -f 2- "$suite")" # in a shell of its own, for its processor time
        if grep -qx '[0-9]* 0' "${suite%.suite}.count"; then unsteady+=("$name (${suite%.suite}.first)"); fi
    done
    if [[ ${#unsteady[@]} -gt 0 ]]; then printf 'unsteady, failed beside other suites and passed by itself: %s\n' "${unsteady[@]}"; fi
}

if [[ $# != 2 ]]; then echo "drawn by lot: LOT=$LOT repeats it, LOT=all takes every file"; fi
# shellcheck disable=SC2016 # expanded by the inner bash
if [[ $# == 2 ]]; then cat "$2"; else suites; fi | xargs -d '\n' -P $(($(nproc) + 2)) -n 1 bash -c 'run_suite "${1%%	*}" "${1#*	}"' _
run_again

cat "$logs"/*.count | awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'
