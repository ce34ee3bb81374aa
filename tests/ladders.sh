#!/usr/bin/env bash
# Climbs the ladder of each problem. Prints TAP. Usage: [DEVICE=cuda] tests/ladders.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
for folder in problems/*/ladder; do
    problem=$(basename "$(dirname "$folder")")
    "$1/convjudge" check-problem --only ladder --device "${DEVICE:-sim}" --problem "$problem" || failed=1
done
exit $failed
