#!/usr/bin/env bats
# What the leaderboard keeps, and how a change to it shows.

bats_require_minimum_version 1.5.0
load helper
# shellcheck disable=SC2034 # helper.bash reads it
timed_divisor=1 # on short cases the times are beyond the roofline, which adds links of a quarantine to the chain

# Two gradings of the same file: runs 1 and 2, links 2 and 3 (link 1 is the source).
graded() {
    submission >x.cu
    judge grade --as Ada --json ada.json x.cu
    ends 0
    judge grade --as Bob --json bob.json x.cu
    ends 0 "receipt     run 2, link 3 of the chain" "$(jq -r .receipt.hash bob.json)"
}

tamper() { sqlite3 "$CONVJUDGE_DB" "$@"; }

@test "what a grading records can be verified, with the receipts" {
    graded
    judge verify-leaderboard --receipt ada.json bob.json
    ends 0 "2 runs, 0 reference times, 3 links, 2 receipts: all is well" "last link: 3 $(jq -r .receipt.hash bob.json)"
    judge verify-leaderboard --json -
    ends 0
    equal 3 "$(jq .last_link.link <<<"$output")"
    equal '[]' "$(jq -c .findings <<<"$output")"
}

@test "a changed row is named, with what was expected and found" {
    graded
    tamper "DROP TRIGGER runs_are_never_changed; UPDATE runs SET score_ms = score_ms / 2 WHERE person = 'Ada'"
    judge verify-leaderboard --receipt ada.json
    ends 1 "trigger runs_are_never_changed: definition: expected CREATE TRIGGER" "found none" \
        "runs 1 (link 2): hash of the row: expected" "runs 1: score_ms: expected" "ada.json: score_ms: expected"
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

@test "the end of the leaderboard cannot be cut off unnoticed" {
    graded
    tamper "DROP TRIGGER runs_are_never_deleted; DROP TRIGGER links_are_never_deleted;
            DELETE FROM runs WHERE id = 2; DELETE FROM chain WHERE link = 3"
    judge verify-leaderboard bob.json
    ends 1 "the last link: link: expected link 3 $(jq -r .receipt.hash bob.json), found none" "bob.json: link: expected link 3"
}

@test "who makes the whole leaderboard anew cannot make the receipts anew" {
    graded
    rm "$CONVJUDGE_DB"*
    judge grade --as Bob x.cu
    ends 0
    judge verify-leaderboard
    ends 0 "all is well"
    judge verify-leaderboard ada.json
    ends 1 "ada.json: link: expected link 2 $(jq -r .receipt.hash ada.json), found link 2"
}

@test "a receipt must be one" {
    graded
    judge grade --no-record --json none.json x.cu
    ends 0
    lacks "receipt"
    judge verify-leaderboard none.json
    ends 2 "none.json: no receipt, expected a result.json of a recorded run"
    jq '.score_ms = 1' ada.json >forged.json
    judge verify-leaderboard forged.json
    ends 1 "forged.json: score_ms: expected 1, found"
    jq '.receipt.run = 2' ada.json >other.json
    judge verify-leaderboard other.json
    ends 1 "other.json"
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
    judge verify-leaderboard ada.json bob.json
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
