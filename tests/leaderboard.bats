#!/usr/bin/env bats
# The ranking, and what happens to it under load and under kill -9.

bats_require_minimum_version 1.5.0
load helper

@test "an empty leaderboard says so" {
    judge leaderboard --problem conv1d
    ends 0 "conv1d"
    rows 0
}

@test "the better of a person's submissions counts, others are ranked against it" {
    judge grade --as Ada "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
    judge grade --as "Grüße 計算" "$root/solutions/conv1d/accepted/register_tile.cu"
    ends 0
    judge grade --as Ada "$root/solutions/conv1d/accepted/shared_tile.cu"
    ends 0
    judge leaderboard --problem conv1d --device sim
    ends 0 "Ada" "Grüße 計算" "modelled"
    [[ $(grep -c Ada <<<"$output") == 1 ]]
}

@test "a submission that is not accepted has a row and no rank" {
    submission '' 'if (i == 1) return;' >x.cu
    judge grade --as Eve x.cu
    ends 1
    rows 1
    judge leaderboard --problem conv1d
    lacks "Eve"
}

@test "kill -9 at any moment loses nothing reported and leaves the database whole" {
    submission >x.cu
    judge grade --as first x.cu
    local i pids=()
    for i in 1 2 3 4; do
        "$build/convjudge" grade --as "killed $i" x.cu >/dev/null 2>&1 &
        pids+=($!)
    done
    for i in 0 1 2 3; do
        sleep 0.4
        kill -9 "${pids[i]}" 2>/dev/null || true
    done
    wait || true
    [[ $(sqlite3 "$CONVJUDGE_DB" 'PRAGMA integrity_check') == ok ]]
    [[ $(sqlite3 "$CONVJUDGE_DB" "SELECT count(*) FROM runs WHERE person = 'first'") == 1 ]]
    judge grade --as last x.cu
    ends 0
}

@test "rows cannot be changed or removed" {
    submission >x.cu
    judge grade x.cu
    run sqlite3 "$CONVJUDGE_DB" 'DELETE FROM runs'
    [[ $status != 0 ]]
    run sqlite3 "$CONVJUDGE_DB" "UPDATE runs SET score_ms = 1"
    [[ $status != 0 ]]
    rows 1
}

@test "an unknown problem" {
    judge leaderboard --problem conv9
    ends 2 "conv9" "conv1d"
}
