#!/usr/bin/env bats
# Limits of the broker that take long to reach, made small; and what the judge says where the broker is confined in part.

bats_require_minimum_version 1.5.0
load helper

@test "CUDA calls without end are a Time Limit Exceeded" {
    submission 'void* space; cudaMalloc(&space, 4); for (int i = 0; i < 3000; i++) cudaMemsetAsync(space, 0, 4);' >x.cu
    export CONVJUDGE_MOST_REQUESTS=2000
    judge grade x.cu
    ends 1 "Time Limit Exceeded" "more than 2000 CUDA calls in one call of solve()"
    submission 'if (input_size > 8) for (int i = 0; i < 3000; i++) cudaMemsetAsync(output, 0, 4);' >x.cu # in no sample case
    judge grade x.cu
    ends 1 "Time Limit Exceeded: solve() makes too many CUDA calls, or copies too much"
    lacks "2000"
}

@test "copies without end are a Time Limit Exceeded" {
    submission 'void* space; cudaMalloc(&space, 1 << 26); for (int i = 0; i < 40; i++) cudaMemset(space, i, 1 << 26);' >x.cu
    export CONVJUDGE_MOST_SERVING_SECONDS=0.1
    judge grade x.cu
    ends 1 "Time Limit Exceeded" "copies and other CUDA calls took the simulated GPU more than 0.1 s"
}

@test "the limits cannot be raised" {
    submission >x.cu
    export CONVJUDGE_MOST_REQUESTS=1e12 CONVJUDGE_MOST_SERVING_SECONDS=-1
    judge grade x.cu
    ends 0 "Accepted"
}

@test "a broker that is confined in part is a warning" {
    submission >x.cu
    run timeout 120 "$build/tests/deny" 444 "$build/convjudge" grade --json result.json x.cu # landlock_create_ruleset
    ends 0 "Accepted" "warning: the broker ran with sandbox partial: closed files (Landlock"
    json result.json '.warnings | map(select(contains("the broker ran with sandbox partial"))) | length' 1
}

@test "what takes all memory of the broker is a Memory Limit Exceeded" {
    submission 'for (int i = 0; i < 30000; i++) { cudaEvent_t event; cudaEventCreate(&event); if (i < 60) { void* space; cudaMalloc(&space, 1 << 20); cudaMemset(space, 1, 1 << 20); } }' >x.cu
    limited_home 's/"host_seconds": 5/"host_seconds": 50/' # a busy machine takes some of them
    local mebibytes
    for mebibytes in 10 30 60 70; do
        export CONVJUDGE_MOST_BROKER_MEBIBYTES=$mebibytes
        judge grade x.cu
        ends 1 "Memory Limit Exceeded" "what it asked the simulated GPU for took too much of the judge's memory"
    done
}

# The limit of a call ends it; without that, the budget of the whole grading would, a minute later.
@test "host code that asks without a pause keeps the device waiting as well as one that sleeps" {
    judge grade --no-record --device sim "$root/tests/attacks/poll_without_waiting.cu"
    ends 1 "Time Limit Exceeded: the host code kept the device waiting for more than 5 s"
}
