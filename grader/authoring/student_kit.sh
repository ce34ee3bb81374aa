#!/usr/bin/env bash
# Packs the judge for students: everything except hidden testcases, solutions, tests (which contain both) and the
# database. The timed cases, which the statements describe, and the times of the reference solutions are included.
# Usage: grader/authoring/student_kit.sh FILE.tar.gz
set -euo pipefail
target=$(realpath -m "${1:?name the file to write}")
cd "$(dirname "$0")/../.."
name=convjudge
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() { printf 'student-kit: %s\n' "$*" >&2; exit 2; }

# keep_cases ID: sample.json, the timed cases of hidden.json, and the files that either names.
keep_cases() {
    local to=$scratch/$name/testcases/$1 file
    [[ -e testcases/$1/sample.json && -e testcases/$1/hidden.json ]] || die "testcases/$1 lacks sample.json or hidden.json"
    mkdir -p "$to"
    cp "testcases/$1/sample.json" "$to/"
    jq '.cases |= map(select(.timed))' "testcases/$1/hidden.json" >"$to/hidden.json"
    jq -r '.. | objects | .file? | strings' "$to"/*.json | sort -u | while read -r file; do
        cp "testcases/$1/$file" "$to/"
    done
}

command -v jq >/dev/null || die "jq is missing; install jq"
mkdir -p "$scratch/$name"
# An explicit list, so that no stray file of a checkout is included.
tar -c --exclude-vcs --exclude='*/tests' --exclude='leaderboard.db*' \
    Makefile README.md base docs grader harness leaderboard problems service simgpu | tar -x -C "$scratch/$name"
for folder in problems/*/; do keep_cases "$(basename "$folder")"; done
mkdir -p "$(dirname "$target")"
tar -czf "$target" -C "$scratch" "$name"
printf '%s\n' "$target"
