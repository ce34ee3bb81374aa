#!/usr/bin/env bash
# Checks that files earn the verdicts that they claim, on one timed case and some untimed ones: faulty solutions on a few that
# find nearly all of them, and on the timed cases if these do not show the mistake; accepted ones on the small ones of these few,
# and other files on all small ones, since large data make most of the work. check-problem takes all cases for the solutions of
# its problem.
# Prints TAP. Usage: tests/check.sh BUILD FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
# shellcheck source=/dev/null
source tests/needs.sh
needs nvcc

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# shellcheck source=/dev/null
source tests/fewer_cases.sh

check() { # CASES FILE...
    if [[ $# == 1 ]]; then return; fi
    mkdir "$home/$1"
    home_with_fewer_cases "$home/$1" "$1"
    printf '%s\0' "${@:2}" | CONVJUDGE_HOME=$home/$1 xargs -0 -P 2 -n 4 "$build/convjudge" check
}

# What the few cases do not find, a timed one may: of these files those that get another verdict are judged once more.
check_faulty() {
    local first=$home/first missed=()
    check finding "${faulty[@]}" >"$first" || true
    mapfile -t missed < <(sed -n 's/^not ok [0-9]* - //p' "$first")
    echo "1..$((${#faulty[@]} - ${#missed[@]}))" # the tests that are left
    grep '^ok ' "$first" || true
    check timed "${missed[@]}"
}

mapfile -t faulty < <(printf '%s\n' "${@:2}" | grep -vE '^solutions/[^/]*/accepted/|^tests/')
mapfile -t accepted < <(printf '%s\n' "${@:2}" | grep '^solutions/[^/]*/accepted/')
mapfile -t others < <(printf '%s\n' "${@:2}" | grep '^tests/')
status=0
check_faulty || status=1
check few "${accepted[@]}" || status=1
check small "${others[@]}" || status=1
exit $status
