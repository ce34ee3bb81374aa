#!/usr/bin/env bash
# Checks that files earn the verdicts that they claim, on the untimed cases and one timed case; `make test-all` takes all cases.
# Prints TAP. Usage: tests/check.sh BUILD FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# shellcheck source=/dev/null
source tests/fewer_cases.sh
home_with_fewer_cases "$home" untimed
export CONVJUDGE_HOME=$home CONVJUDGE_CACHE=${CONVJUDGE_CACHE:-$build/cache}
printf '%s\0' "${@:2}" | xargs -0 -P 2 -n 4 "$build/convjudge" check
