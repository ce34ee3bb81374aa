#!/usr/bin/env bash
# Sixteen gradings at once on one store, two of each of eight files, on small cases: every verdict is right, every run is
# recorded, and nothing is left. Prints TAP.
# Usage: tests/crowd.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1
mkdir "$TMPDIR" "$scratch/home"
# shellcheck source=/dev/null
source tests/fewer_cases.sh
home_with_fewer_cases "$scratch/home" small
export CONVJUDGE_HOME=$scratch/home
files=(
    accepted/{naive,shared_tile,register_tile}.cu
    wrong_answer/{flipped_filter,last_output_missing}.cu
    run_time_error/{null_pointer,aborts}.cu
    compile_error/syntax_error.cu
)

grade() { # NUMBER: its exit status, and then whether anything is left, go to NUMBER.status
    local status=0
    timeout 300 "$build/tests/leftovers" "$build/convjudge" grade --problem conv1d --device sim --as "student$1" \
        --json "$scratch/$1.json" "solutions/conv1d/${files[$1 % 8]}" >"$scratch/$1.log" 2>&1 || status=$?
    echo "$status" >"$scratch/$1.status"
}

what_is_wrong() { # NUMBER
    local file=${files[$1 % 8]} expected accepted=1 rows
    case $file in
        accepted/*) expected=Accepted accepted=0 ;;
        wrong_answer/*) expected="Wrong Answer" ;;
        run_time_error/*) expected="Run-Time Error" ;;
        *) expected="Compile Error" ;;
    esac
    [[ $(<"$scratch/$1.status") == "$accepted" ]] || echo "exit status $(<"$scratch/$1.status")"
    [[ $(jq -r .verdict "$scratch/$1.json") == "$expected" ]] || echo "not $expected: $(jq -c '.verdict, .text' "$scratch/$1.json")"
    rows=$(sqlite3 "$CONVJUDGE_DB" "SELECT count(*) FROM runs WHERE person = 'student$1' AND verdict = '$expected'")
    [[ $rows == 1 ]] || echo "recorded $rows times"
}

for number in {0..15}; do grade "$number" & done
wait
failed=0
echo 1..17
for number in {0..15}; do
    wrong=$(what_is_wrong "$number" 2>&1)
    if [[ -n $wrong ]]; then failed=1 && echo -n 'not '; fi
    echo "ok $((number + 1)) - ${files[number % 8]}, one of sixteen at once"
    if [[ -n $wrong ]]; then printf '# %s\n' "${wrong//$'\n'/$'\n'# }" && sed 's/^/# /' "$scratch/$number.log"; fi
done
if [[ -n $(ls -A "$TMPDIR") || $(sqlite3 "$CONVJUDGE_DB" 'PRAGMA integrity_check') != ok ]]; then failed=1 && echo -n 'not '; fi
echo "ok 17 - they leave no file, and the store is sound"
exit $failed
