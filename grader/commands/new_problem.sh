#!/usr/bin/env bash
# Creates the three folders of a new problem from a small working example, to be replaced (docs/guides/add-a-problem.md).
# Usage: grader/commands/new_problem.sh ID     The folders are created in CONVJUDGE_HOME, by default in this checkout.
set -euo pipefail
template=$(cd "$(dirname "$0")/template" && pwd)
home=${CONVJUDGE_HOME:-$(cd "$(dirname "$0")/../.." && pwd)}
id=${1-}

die() { printf 'new-problem: %s\n' "$*" >&2; exit 2; }

[[ $id =~ ^[a-z0-9][a-z0-9-]{0,63}$ ]] || die "'$id' is not an id, expected lower-case letters, digits and dashes, such as my-conv"
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
printf 'The example works as it is. To see what is still missing: make check-problem PROBLEM=%s\n' "$id"
