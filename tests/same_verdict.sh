#!/usr/bin/env bash
# Grades one honest file many times: each time the same verdict. Prints TAP, one test; to standard error how far it is.
# Usage: tests/same_verdict.sh BUILD [COUNT] [DEVICE]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 count=${2:-200} device=${3:-sim}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1

echo 1..1
for ((number = 1; number <= count; number++)); do
    "$build/convjudge" grade --no-record --device "$device" --json "$scratch/result.json" solutions/conv1d/accepted/naive.cu \
        >"$scratch/log" 2>&1 || true
    if ! verdict=$(jq -er 'select(.verdict == "Accepted") | .verdict' "$scratch/result.json" 2>&1); then
        echo "not ok 1 - the same file has the same verdict $count times"
        echo "# grading $number: $verdict"
        sed 's/^/# /' "$scratch/log"
        exit 1
    fi
    rm "$scratch/result.json"
    ((number % 10)) || echo "# $number of $count gradings, all alike" >&2
done
echo "ok 1 - the same file has the same verdict $count times"
