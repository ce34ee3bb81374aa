#!/usr/bin/env bash
# Writes the three folders of a new problem: a small working example, to be written over (docs/adding-a-problem.md).
# Usage: grader/authoring/new_problem.sh ID     The folders go below CONVJUDGE_HOME, else into this checkout.
set -euo pipefail
template=$(cd "$(dirname "$0")/template" && pwd)
home=${CONVJUDGE_HOME:-$(cd "$(dirname "$0")/../.." && pwd)}
id=${1-}

die() { printf 'new-problem: %s\n' "$*" >&2; exit 2; }

[[ $id =~ ^[a-z0-9][a-z0-9-]{0,63}$ ]] || die "'$id' is no id: expected lower-case letters, digits and dashes, such as my-conv"
for folder in problems testcases solutions; do
    [[ ! -e $home/$folder/$id ]] || die "$folder/$id exists already"
done

for pair in problem:problems testcases:testcases solutions:solutions; do
    target=$home/${pair#*:}/$id
    mkdir -p "$home/${pair#*:}"
    cp -r "$template/${pair%:*}" "$target"
    find "$target" -type f -exec sed -i "s/@ID@/$id/g" {} +
    printf '%s/%s/\n' "${pair#*:}" "$id"
done
printf 'It works as it is. What it lacks: make check-problem PROBLEM=%s\n' "$id"
