#!/usr/bin/env bash
# Checks the headers of the attacks (tests/attacks/README.md), and its table against the folder: the table
# names each file once, and every file that it names exists.
# Usage: tests/attacks.sh
set -euo pipefail
cd "$(dirname "$0")/.."
faults=0
claims='accepted faster|accepted wrong|verdict forged|secret printed|succeeds|no verdict|hangs|no memory left|does not apply: .+'

fault() {
    echo "lint: $*"
    faults=1
}

table=$(awk '/^## /{ inside = $0 == "## What is attacked" } inside && /^\|/' tests/attacks/README.md)

for file in tests/attacks/*.cu; do
    name=$(basename "$file" .cu)
    header=$(awk '!/^\/\/ /{ exit } 1' "$file")
    grep -q '^// expect: ' <(head -n 1 "$file") || fault "$file: the first line is not \`// expect:\`"
    grep -q '^// problem: ' <<<"$header" || fault "$file: the header lacks \`// problem:\`"
    grep -qE "^// naive: ($claims)\$" <<<"$header" || fault "$file: the header lacks \`// naive:\` with a known claim"
    while read -r line; do
        grep -qE "^// naive( on (sim|cuda))?: ($claims)\$" <<<"$line" || fault "$file: $line"
    done < <(grep '^// naive' <<<"$header")
    grep -vE '^// (expect|on cuda|says|problem|naive( on (sim|cuda))?): ' <<<"$header" | grep -q . || fault "$file: the header does not say what it tries"
    rows=$(grep -cF -- "\`$name\`" <<<"$table") || true
    [[ $rows == 1 ]] || fault "tests/attacks/README.md: $rows rows of the table name $name, expected 1"
done

while read -r name; do
    [[ -e tests/attacks/$name.cu ]] || fault "tests/attacks/README.md: there is no tests/attacks/$name.cu"
done < <(awk -F'|' '{ gsub(/[` ]/, "", $3); gsub(/,/, "\n", $3); print $3 }' <<<"$table" | grep -E '^[a-z0-9_]+$' | grep -vx attacks)

exit "$faults"
