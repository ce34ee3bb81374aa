#!/usr/bin/env bats
# What the judge says where the broker is confined in part, and of host code that asks without a pause.

bats_require_minimum_version 1.5.0
load helper

@test "a broker that is confined in part is a warning" {
    submission >x.cu
    run timeout 600 "$build/tests/deny" 444 "$build/convjudge" grade --json result.json x.cu # landlock_create_ruleset
    ends 0 "Accepted" "warning: the broker ran with sandbox partial: closed files (Landlock"
    json result.json '.warnings | map(select(contains("the broker ran with sandbox partial"))) | length' 1
}

# The limit of a call ends it; without that, the budget of the whole grading would, a minute later.
@test "host code that asks without a pause keeps the device waiting as well as one that sleeps" {
    judge grade --no-record --device sim "$root/tests/attacks/poll_without_waiting.cu"
    ends 1 "Time Limit Exceeded: the host code kept the device waiting for more than 5 s"
}
