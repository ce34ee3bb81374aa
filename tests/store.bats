#!/usr/bin/env bats
# What the leaderboard keeps, and how a change to it shows.

bats_require_minimum_version 1.5.0
load helper
# shellcheck disable=SC2034 # helper.bash reads it
timed_divisor=1 # on short cases the times are beyond the roofline, so that the runs would wait in quarantine

# Two gradings of the same file: runs 1 and 2.
graded() {
    submission >x.cu
    judge grade --as Ada --json ada.json x.cu
    ends 0
    judge grade --as Bob --json bob.json x.cu
    ends 0 "recorded    run 2"
    json bob.json .run 2
}

tamper() { sqlite3 "$CONVJUDGE_DB" "$@"; }

@test "what a grading records can be verified" {
    graded
    judge verify-leaderboard
    ends 0 "2 runs, 0 reference times: all is well"
    judge verify-leaderboard --json -
    ends 0
    equal '[]' "$(jq -c .findings <<<"$output")"
    judge grade --no-record --json none.json x.cu
    ends 0
    lacks "recorded  "
    json none.json 'has("run")' false
}

@test "a changed row is named, with what was expected and found" {
    graded
    tamper "DROP TRIGGER runs_are_never_changed; UPDATE runs SET score_ms = score_ms / 2 WHERE person = 'Ada'"
    judge verify-leaderboard
    ends 1 "trigger runs_are_never_changed: definition: expected CREATE TRIGGER" "found none" "runs 1: score_ms: expected"
    lacks "runs 2"
    judge verify-leaderboard --json found.json
    ends 1
    equal '"trigger runs_are_never_changed"' "$(jq '.findings[0].place' found.json)"
}

@test "rows that an older version wrote are counted, since their times cannot be computed again" {
    graded
    tamper "DROP TRIGGER runs_are_never_changed; UPDATE runs SET sitting = json_remove(sitting, '$.work') WHERE person = 'Ada'"
    judge verify-leaderboard
    ends 1 "rows of an older version, whose times cannot be computed again: 1"
    lacks "score_ms"
}

@test "a retracted run is hidden and kept, with the reason" {
    graded
    judge retract 2 --why "copied from Ada" --as teacher
    ends 0 "run 2 of Bob for conv1d is retracted"
    judge leaderboard --problem conv1d
    ends 0 "Ada"
    lacks "Bob"
    stored "SELECT person || ': ' || why FROM rulings" "teacher: copied from Ada"
    rows 2
    judge verify-leaderboard
    ends 0 "all is well"
}

# A rival hands in the victim's kernels, launched three times from a section that is not called .text.
@test "nobody spoils another person's time with the same kernels" {
    submission | sed 's/^extern "C"/__attribute__((section("mine"), noinline)) static int times() { return 1; }\n&/;
        s/convolve<<</for (int n = times(); n > 0; n--) &/' >x.cu
    sed 's/return 1;/return 3;/' x.cu >y.cu
    judge grade --as Victim --json x.json x.cu
    ends 0
    judge grade --as Rival --json y.json y.cu
    ends 0
    json x.json ".machine_code == $(jq .machine_code y.json)" false
    judge grade --as Rival x.cu
    ends 0 "1 of 2 in the class, as Rival"
    judge leaderboard --problem conv1d
    ends 0
    # the same code, but for a sample of blocks that is drawn anew
    awk '$2 == "Victim" { victim = $3 } $2 == "Rival" { rival = $3 }
        END { exit !(rival > 0.99 * victim && rival < 1.01 * victim) }' <<<"$output"
}
