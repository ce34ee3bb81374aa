#!/usr/bin/env bash
# Checks that solutions compiled by clang, without NVIDIA's software, earn the verdicts that their folders name: 16 of the
# accepted solutions, of the students' files and of those of features, drawn by lot, on the small cases and one timed case;
# with "all" all files on all cases, and conv1d's run-time errors. Files that need more than clang's subset of CUDA
# are left out; tests/clang.bats tests that these are refused. Prints TAP.
# Usage: tests/clang.sh BUILD [all]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
outside='cuda/(barrier|pipeline|atomic)|cuda/std|cub/|thrust/|cooperative_groups.h|tex(1D|2D|3D)|surf(1D|2D|3D)|__managed__|__cluster_dims__'
# Before version 18 clang accepts alignas() only in front of __shared__.
outside="$outside|__shared__ alignas"

if ! compgen -c clang | grep -E '^clang-(1[6-9]|2[0-9])$' >/dev/null; then
    printf '1..1\nok 1 # skip no clang 16 or later\n'
    exit
fi

home=$PWD
if [[ ${2-} != all ]]; then
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT
    # shellcheck source=/dev/null
    source tests/fewer_cases.sh
    home_with_fewer_cases "$home" small
fi
export CONVJUDGE_COMPILER=clang

mapfile -t files < <(grep -LE "$outside" solutions/*/accepted/*.cu solutions/conv1d/run_time_error/*.cu tests/{student,features}/*.cu)
if [[ ${2-} == all ]]; then export LOT=all; fi
# shellcheck source=/dev/null
source tests/lot.bash
mapfile -t drawn < <(lot 16 "${files[@]}")
printf '1..%d\n' "${#drawn[@]}"
CONVJUDGE_HOME=$home "$build/convjudge" check "${drawn[@]}" | grep -v '^1\.\.' | awk '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++number) } { print }'
