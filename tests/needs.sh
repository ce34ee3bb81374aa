# needs.sh - what the lines of tests/suites.txt use: ends a suite as skipped where a tool that it needs is missing, and chooses files.
# shellcheck shell=bash

# needs nvcc|clang: in the checkout's folder. What a file gets with clang, which compiles a subset of CUDA for the simulated
# GPU alone, may be something else than it claims, and modelled times differ; tests/clang.sh checks what is the same.
needs() {
    local why
    if ! why=$(harness/compilers.sh "$1" 2>&1 >/dev/null); then
        printf '1..1\nok 1 # skip %s\n' "$why"
        exit
    fi
}

# others FOLDER: the solutions in it without those that tests/verdicts judges, which runs before.
others() {
    ls "$1"/*/*.{cu,patch} | grep -vxFf tests/verdicts.txt
}
