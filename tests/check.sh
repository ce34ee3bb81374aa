#!/usr/bin/env bash
# Checks that files earn the verdicts that they claim, on one timed case and the untimed cases: solutions on all of them, since a
# wrong one may need the largest, and other files on the small ones, whose data make most of the work. `make test-all` takes all cases.
# Prints TAP. Usage: tests/check.sh BUILD FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export CONVJUDGE_CACHE=${CONVJUDGE_CACHE:-$build/cache}
# shellcheck source=/dev/null
source tests/fewer_cases.sh

check() { # CASES FILE...
    if [[ $# == 1 ]]; then return; fi
    mkdir "$home/$1"
    home_with_fewer_cases "$home/$1" "$1"
    printf '%s\0' "${@:2}" | CONVJUDGE_HOME=$home/$1 xargs -0 -P 2 -n 4 "$build/convjudge" check
}

mapfile -t solutions < <(printf '%s\n' "${@:2}" | grep '^solutions/')
mapfile -t others < <(printf '%s\n' "${@:2}" | grep -v '^solutions/')
status=0
check untimed "${solutions[@]}" || status=1
check small "${others[@]}" || status=1
exit $status
