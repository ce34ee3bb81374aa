#!/usr/bin/env bash
# Checks that files earn the verdicts that they claim, on one timed case and some untimed ones: faulty solutions on a few that
# find nearly all of them, then on the timed ones, then on all, until one shows the mistake; what must be accepted on the small
# ones of these few, and other files on all small ones, since large data make most of the work. check-problem takes all cases
# for the solutions of its problem.
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

# What the few cases do not find, a timed one may, and what neither does, one that the solution's page does not name yet.
check_faulty() {
    local cases left=("${faulty[@]}")
    for cases in finding timed; do
        check "$cases" "${left[@]}" >"$home/log" || true
        grep '^ok ' "$home/log" || true
        mapfile -t left < <(sed -n 's/^not ok [0-9]* - //p' "$home/log")
    done
    echo "1..$((${#faulty[@]} - ${#left[@]}))" # without the tests that follow
    if [[ ${#left[@]} -gt 0 ]]; then "$build/convjudge" check "${left[@]}"; fi
}

accepted=() faulty=() others=()
for file in "${@:2}"; do
    if [[ $file == solutions/*/accepted/* || $(head -n 1 "$file") == "// expect: Accepted" ]]; then
        accepted+=("$file")
    elif [[ $file == tests/* ]]; then
        others+=("$file")
    else
        faulty+=("$file")
    fi
done
status=0
check_faulty || status=1
check few "${accepted[@]}" || status=1
check small "${others[@]}" || status=1
exit $status
