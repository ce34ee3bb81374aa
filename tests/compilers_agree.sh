#!/usr/bin/env bash
# Judges files compiled by nvcc and by clang, on the same data, and expects the same verdict: files that are named, or mutants of
# the accepted solutions of all problems, as many as COUNT. Where messages name other lines or arrays, it says so without a
# failure: compilers move loads and merge lines. Of the cases, a few small ones and one timed case. Prints TAP.
# Usage: tests/compilers_agree.sh BUILD COUNT [SEED] | BUILD FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
shift
# shellcheck source=/dev/null
source tests/needs.sh
needs nvcc
needs clang

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/mutants"
# shellcheck source=/dev/null
source tests/fewer_cases.sh
home_with_fewer_cases "$work/home" few
export NO_COLOR=1

if [[ $1 =~ ^[0-9]+$ ]]; then
    count=$1 seed=${2:-$RANDOM}
    printf '# seed %s\n' "$seed"
    problems=(problems/*/)
    for problem in "${problems[@]}"; do
        "$build/tests/write_mutants" "$(basename "$problem")" $((count / ${#problems[@]} + 1)) "$seed" "$work/mutants"
    done
    mapfile -t files < <(shuf -n "$count" -e "$work"/mutants/*.cu --random-source=<(yes "$seed"))
else
    files=("$@")
fi

data=$(sha256sum <<<"${files[*]##*/}" | cut -c1-64)
problem_of() { # FILE: as its line says, else as its folder does
    sed -n 's|^// problem: ||p' "$1" | grep . | tail -n 1 || cut -d/ -f2 <<<"$1"
}
judged() { # COMPILER FILE: prints "verdict", then what the message names: line and array
    local result=$work/result.json
    CONVJUDGE_HOME=$work/home CONVJUDGE_COMPILER=$1 nice "$build/convjudge" grade --no-record --device sim --seed "$data" \
        --problem "$(problem_of "$2")" --json "$result" "$2" >"$work/log" 2>&1 || true
    jq -r '.verdict' "$result"
    jq -r '.text' "$result" >"$work/text.$1"
    { grep -oE "[.]cu:[0-9]+|array '[^']*'|(at|reads|writes) [a-zA-Z_]+\\[" "$work/text.$1" || true; } | tr '\n' ' '
}

printf '1..%d\n' "${#files[@]}"
number=0 status=0
for file in "${files[@]}"; do
    number=$((number + 1)) name=$file
    if [[ $file == "$work"/* ]]; then name="$(basename "$file"): $(tail -n 1 "$file" | sed 's|^// ||')"; fi
    by_clang=$(judged clang "$file")
    by_nvcc=$(judged nvcc "$file")
    if grep -q 'a limit of the judge: clang' "$work/text.clang"; then
        echo "ok $number - $name # SKIP not in clang's subset"
        continue
    fi
    if [[ ${by_clang%%$'\n'*} == "${by_nvcc%%$'\n'*}" ]]; then
        echo "ok $number - $name"
    elif [[ $(grep -cx 'Time Limit Exceeded' <<<"$by_clang"$'\n'"$by_nvcc") == 1 ]]; then
        # A loop without end that does nothing else is undefined in C++ (forward progress), so one of them may remove it.
        echo "ok $number - $name # SKIP it has no end by one compiler"
    else
        echo "not ok $number - $name"
        status=1
    fi
    if [[ $by_clang != "$by_nvcc" ]]; then
        printf '# %-6s %s: %s\n' nvcc: "${by_nvcc%%$'\n'*}" "$(tr '\n' ' ' <"$work/text.nvcc")"
        printf '# %-6s %s: %s\n' clang: "${by_clang%%$'\n'*}" "$(tr '\n' ' ' <"$work/text.clang")"
    fi
done
exit $status
