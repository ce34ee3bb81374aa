#!/usr/bin/env bash
# Runs every test and ends with `N passed, N failed`. Each suite prints TAP into a file of its own. One more runs at a
# time than there are cores, since some wait for limits of time; long ones come first. Building the suites that are
# programs is a suite like the others: they come last, and wait for it.
# A suite that plans more tests than it runs, or that fails without saying which test, counts as one more failure.
# Usage: tests/run.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
export CONVJUDGE_BUILD=$PWD/$build CMOCKA_MESSAGE_OUTPUT=TAP OMP_WAIT_POLICY=passive # two suites share the cores
logs=$build/test-logs
rm -rf "$logs"
mkdir -p "$logs"

suites() { # one a line: name, tab, command
    local file
    printf 'test programs\tmake --no-print-directory --silent BUILD=%s test-programs && echo 1..1 && echo ok 1\n' "$build"
    printf 'solutions by clang\ttests/clang.sh %s\n' "$build"
    for file in tests/*.bats; do printf '%s\tbats --tap %s\n' "$(basename "$file")" "$file"; done
    for file in solutions/*/; do printf '%s\t%s/convjudge check-problem --problem %s\n' "${file%/}" "$build" "$(basename "$file")"; done
    printf 'tests/student\ttests/student.sh %s\n' "$build"
    printf 'tests/attacks\t%s/convjudge check tests/attacks/*.cu\n' "$build"
    until [[ -e $logs/test_programs.count ]]; do sleep 1; done
    printf 'tests/fuzz\ttests/fuzz.sh %s 7\n' "$build"
    while read -r file; do
        if [[ -x $file ]]; then printf '%s\t%s\n' "${file#"$build"/}" "$file"; fi
    done < <(programs)
}

programs() { # the long ones first, so that none is left alone at the end
    local name
    {
        for name in harness/compile/tests/test_compile simgpu/engine/tests/test_faults harness/session/tests/test_session; do
            printf '%s\n' "$build"/{,sanitize/}"$name"
        done
        printf '%s\n' "$build"/{,sanitize/}{*,*/*,*/*/*}/tests/test_*
    } | awk '!seen[$0]++'
}

run_suite() { # writes LOG, LOG.status; says how it went
    local name=$1 log=$logs/${1//[\/ ]/_} status=0 start=$SECONDS
    bash -c "$2" >"$log" 2>&1 </dev/null || status=$?
    echo "$status" >"$log.status"
    local passed failed
    read -r passed failed < <(count "$log" "$status")
    printf '%-44s %3d passed, %d failed  (%d s)\n' "$name" "$passed" "$failed" $((SECONDS - start))
    if [[ $failed != 0 ]]; then grep -A12 '^not ok' "$log" | head -n 60 || tail -n 30 "$log"; fi
    echo "$passed $failed" >"$log.count"
}

count() { # LOG STATUS: passed and failed tests
    awk -v status="$2" '
        /^1\.\.[0-9]+/ { split($0, plan, /\.\.| /); planned += plan[2] }
        /^ok /         { passed++ }
        /^not ok /     { failed++ }
        END { missing = planned - passed - failed
              if (missing > 0) failed += missing
              if ((status != 0 || passed + failed == 0) && failed == 0) failed = 1
              print passed + 0, failed + 0 }' "$1"
}
export -f run_suite count
export logs

# shellcheck disable=SC2016 # expanded by the inner bash
suites | xargs -d '\n' -P $(($(nproc) + 1)) -n 1 bash -c 'run_suite "${1%%	*}" "${1#*	}"' _

cat "$logs"/*.count | awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'
