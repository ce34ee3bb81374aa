#!/usr/bin/env bats
# The ranking, and that kill -9 does not harm it.

bats_require_minimum_version 1.5.0
load helper

# score_of PERSON: the best score in microseconds, as the leaderboard prints it.
score_of() {
    sqlite3 "$CONVJUDGE_DB" "SELECT printf('%.2f', 1000 * min(score_ms)) FROM runs WHERE person = '$1'"
}

@test "the best of a person's submissions counts, others are ranked against it" {
    judge grade --as Ada "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
    judge grade --as "Grüße 計算" "$root/solutions/conv1d/accepted/register_tile.cu"
    ends 0
    judge grade --as Ada "$root/solutions/conv1d/accepted/shared_tile.cu"
    ends 0
    judge leaderboard --problem conv1d --device sim
    ends 0 "modelled"
    counts 2 '^ +[0-9]+ '
    counts 1 '^ +1  Grüße 計算 .* 100\.0  2'
    counts 1 "^ +2  Ada +$(score_of Ada) .* 0\.0  2"
}

@test "a submission that is not accepted has a row and no rank" {
    submission '' 'if (i == 1) return;' >x.cu
    judge grade --as Eve x.cu
    ends 1
    rows 1
    judge leaderboard --problem conv1d
    ends 0 "no ranked submissions"
    lacks "Eve"
}

@test "kill -9 at any step loses nothing reported and leaves the database whole" {
    submission >x.cu
    judge grade --as first x.cu
    ends 0
    local step person reported=0
    # Kill it as soon as each step of the progress is printed.
    for step in '^compile  ' '^sample cases  ' '^hidden cases  ' '^timed cases  ' '^verdict  ' '^Accepted  '; do
        person="killed at ${step//[^a-zA-Z]/}"
        : >printed # of the step before: the next process may begin late
        "$build/convjudge" grade --as "$person" x.cu >printed 2>&1 &
        wait_until grep -q "$step" printed
        kill -9 $! 2>/dev/null || true
        wait $! || true
        if grep -q '^Accepted  ' printed; then
            stored "SELECT count(*) FROM runs WHERE person = '$person'" 1
            reported=$((reported + 1))
        fi
    done
    holds "$reported >= 1"
    stored 'PRAGMA integrity_check' ok
    stored "SELECT count(*) FROM runs WHERE person = 'first'" 1
    judge grade --as last x.cu
    ends 0
}

@test "rows cannot be changed or removed" {
    submission >x.cu
    judge grade x.cu
    ends 0
    run sqlite3 "$CONVJUDGE_DB" 'DELETE FROM runs'
    ends 19 "runs"
    run sqlite3 "$CONVJUDGE_DB" "UPDATE runs SET score_ms = 1"
    ends 19 "runs"
    rows 1
    stored 'SELECT score_ms < 1 FROM runs' 1
}

@test "references --missing times only the reference solutions without a time" {
    mkdir home
    ln -s "$root"/{base,grader,harness,leaderboard,problems,testcases,simgpu} home/
    mkdir -p home/solutions/conv1d
    ln -s "$root/solutions/shared" home/solutions/
    cp -r "$root/solutions/conv1d/accepted" home/solutions/conv1d/
    CONVJUDGE_HOME=$PWD/home CONVJUDGE_DB=$PWD/missing.db judge references --problem conv1d --device sim --missing
    ends 0 "reference solutions"
    [[ $output != *vector_loads* ]]
    echo "// another source" >>home/solutions/conv1d/accepted/vector_loads.cu
    CONVJUDGE_HOME=$PWD/home CONVJUDGE_DB=$PWD/missing.db judge references --problem conv1d --device sim --missing
    ends 0 "vector_loads.cu"
    [[ $output != *register_tile* ]]
}
