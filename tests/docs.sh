#!/usr/bin/env bash
# Checks the pages against the tree: each path that a page names exists, and each environment variable that the code reads
# stands in docs/reference/settings.md, or in CONTRIBUTING.md if only tests and tools set it.
# Usage: tests/docs.sh
set -euo pipefail
cd "$(dirname "$0")/.."
faults=0

# shellcheck disable=SC2016 # quotes of a page
# Words like folder/file.ext or `folder/`, not those with a placeholder (<id>, ..., X) or below build/.
while IFS=: read -r page line path; do
    path=${path//\`/}
    [[ -e $path || -e $(dirname "$page")/$path ]] || { echo "lint: $page:$line: there is no $path"; faults=1; }
done < <(git ls-files '*.md' | grep -v '^problems/\|/template/' |
    xargs grep -noE '\b(base|docs|grader|harness|leaderboard|service|simgpu|solutions|testcases|tests|tools)/[A-Za-z0-9_./-]*\.(c|h|cu|cuh|patch|def|json|csv|txt|sh|py|bats|md)\b|`(base|docs|grader|harness|leaderboard|service|simgpu|tests|tools)/([A-Za-z0-9_-]+/)*`' |
    grep -vE 'moving-sum|my-conv|test_x|/x\.|leaderboard\.db')

while read -r name; do
    grep -q "\`$name\`" docs/reference/settings.md CONTRIBUTING.md ||
        { echo "lint: $name is read by the code, but is neither in docs/reference/settings.md nor, as one of the tests, in CONTRIBUTING.md"; faults=1; }
done < <(git ls-files '*.c' '*.h' | xargs grep -ohE '"CONVJUDGE_[A-Z_]+"' | tr -d '"' | sort -u)

exit "$faults"
