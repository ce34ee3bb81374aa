#!/usr/bin/env bash
# Checks that files in the style of students, and those that each use one feature of CUDA in full, earn the verdicts that
# they claim, on the untimed cases and one timed case.
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
"$build/convjudge" check tests/student/*.cu tests/features/*.cu
