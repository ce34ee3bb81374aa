#!/usr/bin/env bash
# Explains every reference solution, and lists them with the advice that they get: the time on an H200 over that of the
# best of its problem (leaderboard/references), the same by the model for the case that is shown, and the advice: that on this
# case with its gain, and the first one on each other case.
#
#   tests/explain_all.sh BUILD [PROBLEM...]
#
# Fails where a solution at least 1.5 times slower than the best gets no advice on any case, and where the best gets some on the
# case that is shown. Prints TAP.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
problems=("$@")
[ ${#problems[@]} -gt 0 ] || mapfile -t problems < <(find "$root/problems" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONVJUDGE_DB=$folder/leaderboard.db NO_COLOR=1

# measured PROBLEM FILE: its score on an H200, in ms; 0: it was not timed.
measured() {
    jq -r --arg problem "$1" --arg file "$2" '
        [.problems[] | select(.problem == $problem) | .references[] | select(.name == $file) | .score_ms][0] // 0' \
        "$root/leaderboard/references/nvidia-h200.json"
}

# explain_problem PROBLEM: for each solution a line of measured ms, modelled seconds, file, advice, and how much of it is on the case
# that is shown.
explain_problem() {
    local file advice
    for file in "$root/solutions/$1"/accepted/*.cu; do
        "$build/convjudge" explain --json "$folder/one.json" "$file" >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; return 1; }
        advice=$(jq -r '.case as $shown | [(.advice[] | "\(.id) \(.gain * 100 | round) %"),
            (.cases[] | select(.name != $shown and .advice) | "\(.advice) (case \(.number))")] | join(", ")' "$folder/one.json")
        printf '%s\t%s\t%s\t%s\t%s\n' "$(measured "$1" "${file##*/}")" "$(jq .seconds "$folder/one.json")" "${file##*/}" "$advice" \
            "$(jq '.advice | length' "$folder/one.json")"
    done
}

failed=0 number=0
for problem in "${problems[@]}"; do
    explained=$(explain_problem "$problem" | sort -g)
    awk -F '\t' -v problem="$problem" -v number="$number" '
        { ms[NR] = $1; s[NR] = $2; file[NR] = $3; advice[NR] = $4; shown[NR] = $5
          if ($1 > 0 && best_ms == "") best_ms = $1
          if (best_s == "" || $2 < best_s) best_s = $2 }
        END {
            for (i = 1; i <= NR; i++) {
                times = best_ms > 0 ? ms[i] / best_ms : 0
                wrong = times == 1 ? shown[i] > 0 : times >= 1.5 && advice[i] == ""
                printf "%sok %d - %-17s %6.2f %6.2f  %-29s %s\n", wrong ? "not " : "", number + i, problem, times, s[i] / best_s, file[i],
                       advice[i] == "" ? "no advice" : advice[i]
                bad += wrong
            }
            exit bad > 0
        }' <<<"$explained" || failed=1
    number=$((number + $(wc -l <<<"$explained")))
done
echo "1..$number"
exit $failed
