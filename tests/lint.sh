#!/usr/bin/env bash
# Checks shell scripts, C and its layout, the graph of folders, the pages and their words, the headers of the attacks, the table of messages, the verdicts of lab/verdicts.md, the pages of the solutions, and compiled test data.
# Usage: tests/lint.sh LAYER... (lowest first)
set -euo pipefail
cd "$(dirname "$0")/.."
layers=("$@")
faults=0

mapfile -t scripts < <(git ls-files '*.sh' '*.bash' .ci/run)
mapfile -t suites < <(git ls-files '*.bats')
shellcheck --exclude=SC2154 "${scripts[@]}" || faults=1
shellcheck --shell=bats --exclude=SC2016,SC2030,SC2031,SC2154 "${suites[@]}" || faults=1

mapfile -t sources < <(git ls-files "${layers[@]/%//*.c}" | grep -v /tests/)
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppressions-list=tests/cppcheck.txt -I. -D_GNU_SOURCE -D__x86_64__ -j2 \
    "${sources[@]}" || faults=1

tests/format.sh check || faults=1
tests/folders.sh || faults=1
tests/docs.sh || faults=1
tests/reference.py check || faults=1
tests/words.py || faults=1
tests/attacks.sh || faults=1
tests/messages.py || faults=1
tests/verdicts.py check || faults=1
tests/solutions.py check || faults=1

# Compiled test data comes from /src (simgpu/tests/data/README.md), so that it names no folder of anybody's machine.
mapfile -t data < <(git ls-files 'simgpu/tests/data/*')
if grep -lE --text '/(home|root|tmp|work)/' "${data[@]}"; then
    echo "lint: these name a folder of the machine where they were compiled"
    faults=1
fi
exit "$faults"
