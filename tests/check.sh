#!/usr/bin/env bash
# Checks that files earn the verdicts that they claim, on one timed case and the untimed cases: faulty solutions on all of them,
# since one may need the largest, and other files on the small ones, since large data make most of the work. `make test-all`
# takes all cases, and so does check-problem for the solutions of its problem.
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

right='^solutions/[^/]*/accepted/|^tests/'
mapfile -t faulty < <(printf '%s\n' "${@:2}" | grep -vE "$right")
mapfile -t others < <(printf '%s\n' "${@:2}" | grep -E "$right")
status=0
check untimed "${faulty[@]}" || status=1
check small "${others[@]}" || status=1
exit $status
