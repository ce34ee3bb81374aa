#!/usr/bin/env bash
# Holds the rules of `convjudge explain` to their two files: on tests/explain/rules/<rule>/first.cu the rule is the first to
# speak, and on silent.cu, which does the same without the problem, it is silent. A line `// case:` gives the number of a timed case, where
# another one than the largest shows the problem. Prints TAP. Usage: tests/rules.sh BUILD RULE...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1
number=0

holds() { # NAME FILE FILTER: a jq condition over the advice on the file
    local fault=0 case
    case=$(sed -n 's|^// case: ||p' "$2")
    rm -f "$scratch/explained.json"
    "$build/convjudge" explain ${case:+--case "$case"} --json "$scratch/explained.json" "$2" >"$scratch/log" 2>&1 || fault=1
    jq -e ".advice | $3" "$scratch/explained.json" >/dev/null 2>&1 || fault=1
    number=$((number + 1))
    echo "$([[ $fault == 0 ]] || echo 'not ')ok $number - $1"
    [[ $fault == 0 ]] || { jq -c '.advice | map([.id, .line, .gain])' "$scratch/explained.json" 2>/dev/null || cat "$scratch/log"; } | sed 's/^/# /'
}

for rule in "${@:2}"; do
    holds "$rule is the first advice" "tests/explain/rules/$rule/first.cu" ".[0].id == \"$rule\""
    holds "$rule is silent where the problem is gone" "tests/explain/rules/$rule/silent.cu" "all(.id != \"$rule\")"
done
echo "1..$number"
