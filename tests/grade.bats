#!/usr/bin/env bats
# `convjudge grade` as a student and as a script meet it.

bats_require_minimum_version 1.5.0
load helper

@test "an accepted submission: report, exit status and a row" {
    submission >x.cu
    judge grade --as Ada x.cu
    ends 0 "Accepted" "modelled" "GFLOP/s" "GB/s" "roofline" "naive"
    [[ $(sqlite3 "$CONVJUDGE_DB" 'SELECT person || " " || verdict FROM runs') == "Ada Accepted" ]]
}

@test "--json - writes the result and nothing else to standard output" {
    submission >x.cu
    "$build/convjudge" grade --json - x.cu >out.json 2>/dev/null
    run jq -r '[.schema, .verdict, .problem, .device, (.cases | length > 10), (.score_ms > 0), (.uncertainty > 0),
        (.percentile.references.n >= 5), (.gflops > 0), (.gbytes_per_s > 0), (.compile.registers > 0), (.warnings | type),
        .sandbox] | join(" ")' out.json
    ends 0 "1 Accepted conv1d sim-h200 true true true true true true true array full"
}

@test "every case of result.json says what it must" {
    submission >x.cu
    judge grade --json result.json x.cu
    run jq -e '.cases | all(.name and .verdict and (.timed | type == "boolean") and has("max_error") and has("mean_error")
        and has("bound")) and (map(select(.timed)) | length >= 2 and all(.time_ms > 0 and (.samples | length >= 1)))' result.json
    ends 0 true
    run jq -r '[.cases[].name] | join(",")' result.json
    ends 0 "hidden 1"
}

@test "hidden cases give away a number and the kind of mistake, never data" {
    submission '' 'if (input_size - kernel_size > 100 && i == 7) { output[i] = 12345.678f; return; }' >x.cu
    judge grade --json result.json x.cu
    ends 1 "Wrong Answer" "hidden"
    lacks "12345"
    run ! grep -q 12345 result.json
}

@test "a failed sample case shows sizes, expected and got" {
    submission '' 'if (i == 1) { output[i] = 12345; return; }' >x.cu
    judge grade x.cu
    ends 1 "Wrong Answer" "12345" "expected" "input_size"
}

@test "an output that is never written is named so" {
    submission '' 'if (i == 1) return;' >x.cu
    judge grade x.cu
    ends 1 "Wrong Answer" "never written"
}

@test "the problem comes from the signature where nothing names it" {
    submission | grep -v 'problem:' >x.cu
    judge grade --json result.json x.cu
    ends 0
    [[ $(jq -r .problem result.json) == conv1d ]]
}

@test "--problem stands above the line in the file" {
    submission | sed 's/problem: conv1d/problem: conv2d/' >x.cu
    judge grade --problem conv1d x.cu
    ends 0
}

@test "older files that include solve.h and leave out extern C" {
    submission | sed 's/extern "C" //; s/#include <stdio.h>/#include "solve.h"/' >x.cu
    judge grade x.cu
    ends 0 "Accepted"
}

@test "--no-record leaves the database alone" {
    submission >x.cu
    judge grade --no-record x.cu
    ends 0 "Accepted"
    rows 0
}

@test "plain lines and no colour where the output is no terminal" {
    submission >x.cu
    unset NO_COLOR
    judge grade x.cu
    ends 0 "hidden"
    lacks $'\033'
    lacks $'\r'
}

@test "colour and a bar on a terminal" {
    submission >x.cu
    unset NO_COLOR
    TERM=xterm run script -qec "$build/convjudge grade x.cu" /dev/null
    ends 0 $'\033['
}

@test "solve() that does not wait for its kernels is accepted, and told" {
    submission | sed '/cudaDeviceSynchronize/d' >x.cu
    judge grade x.cu
    ends 0 "Accepted"
}

@test "an answer computed by the CPU breaks the rules" {
    judge grade "$root/solutions/conv1d/rule_violation/"*.cu
    ends 1 "Rule Violation"
}

@test "the same submission gets the same modelled time again" {
    submission >x.cu
    judge grade --json first.json x.cu
    ends 0
    judge grade --json second.json x.cu
    ends 0
    [[ $(jq .score_ms first.json) == "$(jq .score_ms second.json)" ]]
}

@test "an interrupted grading leaves nothing behind" {
    submission 'for (volatile int i = 0;; i++) {}' >x.cu
    run "$build/tests/leftovers" timeout --signal=INT 4 "$build/convjudge" grade x.cu
    ends 124 "compile"
    [[ -z $(ls -A "$TMPDIR") ]]
    rows 0
}

@test "help and version" {
    judge grade --help
    ends 0 "--problem" "--json" "--no-record"
    judge --version
    ends 0 "convjudge"
}

@test "a grading killed at any moment leaves no process behind" {
    submission >x.cu
    export CONVJUDGE_CACHE=$PWD/cache
    local moment
    for moment in 0.01 0.02 0.03 0.04 0.05 0.07 0.1 0.2 0.5; do
        run "$build/tests/leftovers" timeout --signal=KILL "$moment" "$build/convjudge" grade x.cu
        ends 137
    done
}
