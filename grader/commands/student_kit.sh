#!/usr/bin/env bash
# Packs the judge for students: everything except hidden testcases, solutions, tests (which contain both), examples (which are
# for teachers) and the database. The timed cases, which the statements describe, and the times of the reference solutions are
# included. With a class.json, just its problems, what it hands out, a file to begin with for each problem in work/, and a workflow
# that grades those on GitHub; not the class.json itself, which names hidden cases and people. Both have files for editors.
# Usage: grader/commands/student_kit.sh FILE.tar.gz [CLASS.json]
set -euo pipefail
target=$(realpath -m "${1:?name the file to write}")
class=${2:+$(realpath "$2")}
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

# keep_handed_out: the files and folders that the class hands out, in handout/.
keep_handed_out() {
    local path to=$scratch/$name/handout
    jq -r '.handed_out // [] | .[]' "$class" | while read -r path; do
        [[ $path == /* ]] || path=$(dirname "$class")/$path
        mkdir -p "$to"
        if [[ -d $path ]]; then cp -rL "$path/." "$to/"; else cp -L "$path" "$to/"; fi
    done
}

# add_editor_files: what clangd and VS Code need, so that they know CUDA, solve() or student.h, and the judge's errors. In work/, a
# file that begins with a problem's id sees what the problem's submissions see.
add_editor_files() {
    local to=$scratch/$name folder id alias header
    cp grader/commands/editor/compile_flags.txt "$to/"
    mkdir -p "$to/.vscode/cuda"
    sed -n 's/^ALIAS("\(.*\)", "\(.*\)")$/\1 \2/p' harness/compile/aliases.def | while read -r alias header; do
        printf '#include <%s>\n' "$header" >"$to/.vscode/cuda/$alias"
    done
    cp grader/commands/editor/tasks.json "$to/.vscode/"
    for folder in "${problems[@]}"; do
        id=$(basename "$folder")
        mkdir -p "$to/.vscode/$id"
        if [[ -e $folder/driver.cu ]]; then printf '#include "student.h"\n'; else jq -r '"extern \"C\" \(.signature);"' "$folder/problem.json"; fi \
            | sed '1i #pragma once' >"$to/.vscode/$id/solve.h"
        printf -- '---\nIf: {PathMatch: "work/%s([^a-z0-9-].*)?"}\nCompileFlags: {Add: [-Iproblems/%s, -I.vscode/%s, -include, solve.h]}\n' "$id" "$id" "$id"
    done >"$to/.clangd"
}

command -v jq >/dev/null || die "jq is missing; install jq"
problems=(problems/*/)
if [[ -n $class ]]; then
    mapfile -t problems < <(jq -r '[.assignments[].problems[].problem] | unique[] | "problems/\(.)/"' "$class")
    [[ ${#problems[@]} -gt 0 ]] || die "$class names no problems"
fi
mkdir -p "$scratch/$name/problems"
# An explicit list, so that no stray file of a checkout is included.
tar -c --exclude-vcs --exclude='*/tests' --exclude='leaderboard.db*' \
    Makefile README.md base docs grader harness leaderboard service simgpu | tar -x -C "$scratch/$name"
for folder in "${problems[@]}"; do
    cp -r "$folder" "$scratch/$name/problems/"
    keep_cases "$(basename "$folder")"
done
add_editor_files
if [[ -n $class ]]; then
    keep_handed_out
    mkdir -p "$scratch/$name/work" "$scratch/$name/.github/workflows"
    for folder in "${problems[@]}"; do cp "$folder/starter.cu" "$scratch/$name/work/$(basename "$folder").cu"; done
    cp docs/guides/classroom.yml "$scratch/$name/.github/workflows/"
fi
mkdir -p "$(dirname "$target")"
tar -czf "$target" -C "$scratch" "$name"
printf '%s\n' "$target"
