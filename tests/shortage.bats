#!/usr/bin/env bats
# What the judge itself is short of is never the student's verdict: exit status 2, a line that says why, nothing recorded,
# nothing left.

bats_require_minimum_version 1.5.0
load helper

# short COMMAND...: grades x.cu, which nothing has compiled before, by a command that leaves the judge too little of something.
short() {
    rm -rf cache && mkdir cache
    run timeout 600 "$build/tests/leftovers" "$@" "$build/convjudge" grade x.cu
    [[ $status == 0 || $status == 2 ]] || { echo "exit status $status for: $*"; echo "$output"; return 1; }
    [[ $status == 0 || ${lines[-1]} == convjudge:* ]] || { echo "no reason for: $*"; echo "$output"; return 1; }
    [[ $status == 0 ]] || rows 0
    [[ -z $(find "$TMPDIR" cache -mindepth 1 -name '*.*') ]] || { echo "left:"; find "$TMPDIR" cache; return 1; }
}


@test "too few descriptors" {
    submission >x.cu
    export CONVJUDGE_CACHE=$PWD/cache
    local count ended=()
    for count in 8 9 10 11 12 13 14 15 16 17 18 19; do
        rm -f "$CONVJUDGE_DB"*
        short prlimit --nofile="$count"
        ended+=("$status")
    done
    equal 2 "${ended[0]}"
}

@test "too few processes" {
    [[ $(id -u) == 0 ]] || skip "an ordinary user's other programs count"
    submission >x.cu
    chmod 777 . "$TMPDIR" "$BATS_TEST_TMPDIR"
    chmod 711 "$BATS_RUN_TMPDIR" # the home of the tests is read by its whole path
    export CONVJUDGE_CACHE=$PWD/cache
    local count user=(setpriv --reuid 54321 --regid 54321 --clear-groups)
    "${user[@]}" test -r "$CONVJUDGE_HOME/problems/conv1d/problem.json" || skip "another user cannot reach this folder"
    for count in 3 6 9 20 50; do
        rm -rf cache && mkdir -m 777 cache
        run timeout 600 "${user[@]}" prlimit --nproc="$count" "$build/convjudge" grade x.cu
        ends 2 "convjudge: "
        lacks "Error"
    done
    ends 2 "the judge itself may have 50 processes (ulimit -u), a sandbox needs "
}

@test "too little memory" {
    submission >x.cu
    export CONVJUDGE_CACHE=$PWD/cache
    local mebibytes
    for mebibytes in 40 80 300 3000; do
        short prlimit --as=$((mebibytes << 20))
        equal 2 "$status"
    done
    short prlimit --fsize=$((20 << 20))
    equal 2 "$status"
}

# on_a_disk SIZE VARIABLE: grades with the folder of the variable on a disk of this size.
on_a_disk() {
    # shellcheck disable=SC2016 # expanded by the inner bash
    run timeout 600 unshare --mount bash -c 'mkdir -p disk && mount -t tmpfs -o "$1" tmpfs disk && export "$2=$PWD/disk$3" &&
        "$4/tests/leftovers" "$4/convjudge" grade x.cu; status=$?; find disk -name "*.*" ! -name "l.db*" | grep . && exit 99; exit $status' \
        _ "$1" "$2" "${3-}" "$build"
}

@test "a full disk for temporary files" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    submission >x.cu
    export CONVJUDGE_CACHE=$PWD/cache
    local size
    for size in size=4k size=32k size=1m size=100m nr_inodes=6; do
        rm -rf cache
        on_a_disk $size TMPDIR
        ends 2 "convjudge: "
        rows 0
    done
    on_a_disk nr_inodes=18 TMPDIR
    ends 2 "no more files can be made in the folder for temporary files; set TMPDIR to another"
    on_a_disk noexec TMPDIR
    ends 2 "the folder for temporary files is mounted noexec: what is compiled cannot run; set TMPDIR to another"
}

@test "doctor names a disk that is nearly full" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    # shellcheck disable=SC2016 # expanded by the inner bash
    run unshare --mount bash -c 'mkdir disk && mount -t tmpfs -o size=1g tmpfs disk && TMPDIR=$PWD/disk "$1/convjudge" doctor' _ "$build"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 0 "note     temporary files $PWD/disk: 1.0 GiB free" "A full disk ends gradings with a judge error. Make room."
}

@test "a full disk for the leaderboard" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    submission >x.cu
    local size
    for size in 4k 16k 64k; do
        on_a_disk size=$size CONVJUDGE_DB /l.db
        ends 2 "convjudge: " "l.db: "
    done
}

@test "a full disk for the cache costs only time" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    submission >x.cu
    on_a_disk size=16k CONVJUDGE_CACHE
    ends 0 "Accepted"
}
