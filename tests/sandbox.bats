#!/usr/bin/env bats
# What happens where submissions cannot be confined.

bats_require_minimum_version 1.5.0
load helper

@test "without bubblewrap a submission is judged with a warning and not ranked" {
    submission >x.cu
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache # what is compiled is not confined either
    run unshare --user --map-root-user --mount bash -c '
        mount --bind /bin/false /usr/bin/bwrap && "$1/convjudge" grade --json result.json x.cu' _ "$build"
    ends 0 "Accepted" "warning: the submission ran with sandbox none: /usr/bin/bwrap"
    json result.json '.rank_status | startswith("not ranked: sandbox none: ")' true
    json result.json '.warnings[0] | contains("sandbox none")' true
}
