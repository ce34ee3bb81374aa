#!/usr/bin/env bash
# Checks that solutions compiled by clang, without NVIDIA's software, earn the verdicts that they claim: one accepted
# solution of each problem, the files about the judge itself and those of features, on the small cases and one timed case;
# tests/compilers_agree.sh has wrong ones. Files that need more than clang's subset of CUDA are left out; tests/clang.bats
# tests that these are refused. Prints TAP.
# Usage: tests/clang.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
outside='cuda/(barrier|pipeline|atomic)|cuda/std|cub/|thrust/|cooperative_groups.h|tex(1D|2D|3D)|surf(1D|2D|3D)|__managed__|__cluster_dims__'
# Before version 18 clang accepts alignas() only in front of __shared__.
outside="$outside|__shared__ alignas"

# shellcheck source=/dev/null
source tests/needs.sh
needs clang

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# shellcheck source=/dev/null
source tests/fewer_cases.sh

# needs_more FILE: it, or the base of a patch, needs more than the subset.
needs_more() {
    local base
    base=$(sed -n 's|^--- |solutions/|p' "$1")
    grep -qE "$outside" "$1" ${base:+"$base"}
}

check() { # CASES FILE...
    local file files=()
    mkdir "$home/$1"
    home_with_fewer_cases "$home/$1" "$1"
    for file in "${@:2}"; do needs_more "$file" || files+=("$file"); done
    CONVJUDGE_HOME=$home/$1 CONVJUDGE_COMPILER=clang "$build/convjudge" check "${files[@]}"
}

status=0
mapfile -t accepted < <(grep /accepted/ tests/verdicts.txt)
check few "${accepted[@]}" || status=1
check small tests/{judge,features}/*.cu || status=1
exit $status
