#!/usr/bin/env bash
# Climbs the ladder of each problem that has one. Prints TAP. Usage: [DEVICE=cuda] tests/ladders.sh BUILD [PROBLEM...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 failed=0
shift
[[ $# -gt 0 ]] || set -- problems/*/ladder
for problem in "$@"; do
    problem=${problem#problems/} problem=${problem%/ladder}
    "$build/convjudge" check-problem --only-ladder --device "${DEVICE:-sim}" --problem "$problem" || failed=1
done
exit $failed
