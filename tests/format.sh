#!/usr/bin/env bash
# Lays out the C of the judge and of its tests by .clang-format; with `check` it names each file that differs instead.
# harness/cuda keeps the layout of NVIDIA's headers, and a file or a part of it may say "clang-format off".
# Only version 14 counts: other versions lay some things out differently.
# Usage: tests/format.sh [check]
set -euo pipefail
cd "$(dirname "$0")/.."

format=$(compgen -c clang-format | grep -xE 'clang-format(-14)?' | sort -ru | head -n 1 || true)
if [[ -z $format ]] || ! "$format" --version | grep -F ' version 14.' >/dev/null; then
    echo "format: needs clang-format 14; the layout of the C is left alone" >&2
    exit
fi

mapfile -t files < <(git ls-files {base,simgpu,harness,leaderboard,grader,service,tests,tools}/'*.'{c,h} | grep -vE '^harness/cuda/|/template/')
if [[ ${1-} != check ]]; then
    "$format" -i "${files[@]}"
    exit
fi
if ! said=$("$format" --dry-run -Werror "${files[@]}" 2>&1); then
    names=$(sed -n 's/^\([^:]*\):[0-9:]* error: code should be.*/lint: \1 differs from .clang-format: run make format/p' <<<"$said")
    sort -u <<<"${names:-$said}"
    exit 1
fi
