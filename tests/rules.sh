#!/usr/bin/env bash
# Holds the rules of `convjudge explain` to their files: on tests/explain/rules/<rule>/first*.cu the rule is the first to
# speak, on speaks*.cu it speaks, and names the line that ends with a comment `// here`, if there is one; its sketch has the
# words of each line `// sketch: ...`. On silent*.cu, which is without the problem, it is silent. Where first_x.cu or
# speaks_x.cu has a silent_x.cu, that is the same kernel after the change: what the advice says the change would gain is
# between half and twice of what it gains by the model, and with a real GPU it really gains. A line `// case:` gives the
# number of a timed case, where another one than the largest shows the problem.
# Prints TAP. Usage: [DEVICE=cuda] tests/rules.sh BUILD RULE...     with a real GPU, also what each change gains there
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 device=${DEVICE:-sim}
# shellcheck source=/dev/null
source tests/needs.sh
needs nvcc
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1
number=0

result() { # STATUS NAME [FILE]: one line of TAP; of a failure also the advice in FILE, a result of explain, or what it printed
    number=$((number + 1))
    echo "$([[ $1 == 0 ]] || echo 'not ')ok $number - $2"
    [[ $1 == 0 ]] || { jq -c '[.seconds, (.advice | map([.id, .line, .gain]))]' "$3" 2>/dev/null || cat "$3.log"; } | sed 's/^/# /'
}

explained() { # FILE: prints the name of what explain says about it
    local case result
    result=$scratch/$(basename "$1" .cu).json
    case=$(sed -n 's|^// case: ||p' "$1")
    "$build/convjudge" explain --device "$device" ${case:+--case "$case"} --json "$result" "$1" >"$result.log" 2>&1 || rm -f "$result"
    echo "$result"
}

holds() { # NAME RESULT FILTER: a jq condition
    local fault=0
    jq -e "$3" "$2" >/dev/null 2>&1 || fault=1
    result "$fault" "$1" "$2"
}

measured() { # NAME BEFORE AFTER: whether the case takes less time on the GPU after the change; how much, modelled and measured
    local fault=0
    # shellcheck disable=SC2016 # the variable is jq's
    jq -e -r -s 'map(.case as $shown | [.seconds, first(.cases[] | select(.name == $shown) | .measured_s)] | map(. * 1e7 | round / 10))
        | "# modelled \(.[0][0]) to \(.[1][0]) us, measured \(.[0][1]) to \(.[1][1]) us", .[1][1] < .[0][1]' "$2" "$3" >"$scratch/gain" 2>&1 || fault=1
    result "$fault" "$1" "$3"
    grep '^#' "$scratch/gain" || true
}

for rule in "${@:2}"; do
    folder=tests/explain/rules/$rule
    for file in "$folder"/silent*.cu; do
        name=$(basename "$file" .cu)
        after=$(explained "$file")
        holds "$rule: silent on $name, where the problem is gone" "$after" "all(.advice[]; .id != \"$rule\")"
    done
    for file in "$folder"/first*.cu "$folder"/speaks*.cu; do
        [[ -e $file ]] || continue
        name=$(basename "$file" .cu)
        line=$(sed -n '/\/\/ here$/=' "$file")
        after=$scratch/silent${name#"${name%%_*}"}.json
        advice="first(.advice[] | select(.id == \"$rule\"))"
        [[ $name == speaks* ]] || advice=".advice[0] | select(.id == \"$rule\")"
        before=$(explained "$file")
        holds "$rule: speaks$([[ $name == speaks* ]] || echo ' first') on $name${line:+, about line $line}" "$before" \
            "$advice${line:+ | .line == $line}"
        sketch=$(sed -n 's|^// sketch: ||p' "$file" | jq -R . | jq -sc .)
        [[ $sketch == '[]' ]] || holds "$rule: has the sketch of $name" "$before" \
            "$advice | .sketch as \$whole | all(${sketch}[]; . as \$words | \$whole | contains(\$words))"
        [[ -e $after ]] || continue
        holds "$rule: gains on $name about what it says" "$before" \
            "(1 - $(jq .seconds "$after") / .seconds) as \$gain | $advice | .gain | . >= \$gain / 2 and . <= 2 * \$gain"
        [[ $device == sim* ]] || measured "$rule: gains on $name on this GPU" "$before" "$after"
    done
    rm -f "$scratch"/*.json
done
echo "1..$number"
