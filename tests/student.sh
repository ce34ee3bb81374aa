#!/usr/bin/env bash
# Holds files as students write them to the verdicts they claim: on all cases that are not timed, and a timed one.
# Prints TAP. Usage: tests/student.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# shellcheck source=/dev/null
source tests/fewer_cases.sh
home_with_fewer_cases "$home" untimed
export CONVJUDGE_HOME=$home CONVJUDGE_CACHE=${CONVJUDGE_CACHE:-$build/cache}
"$build/convjudge" check tests/student/*.cu
