#!/usr/bin/env bats
# What happens where submissions cannot be confined.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

@test "without bubblewrap nothing runs, in one line" {
    submission >x.cu
    export CONVJUDGE_BWRAP=/bin/false
    local command
    judge grade --device=sim -- "Ada's x.cu"
    ends 2 "to run a file of your own all the same: convjudge grade --unconfined --device=sim -- 'Ada'\\''s x.cu'"
    SUB="my file.cu" DEVICE=sim STAND=$PWD judge try x.cu
    ends 2 "to run a file of your own all the same: make try SUB='my file.cu' DEVICE=sim UNCONFINED=1"
    for command in "grade x.cu" "explain x.cu" "check x.cu" "check-problem --problem conv1d" "sweep x.cu" "retime --run 1"; do
        # shellcheck disable=SC2086
        judge $command
        ends 2 "no submission runs without a full sandbox; --unconfined (UNCONFINED=1 for make)" "sandbox is none: /bin/false"
        equal 1 "${#lines[@]}"
    done
}

@test "with --unconfined a submission is judged without bubblewrap, with a warning, and not ranked" {
    submission >x.cu
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache # what is compiled is not confined either
    run unshare --user --map-root-user --mount bash -c '
        mount --bind /bin/false /usr/bin/bwrap && "$1/convjudge" grade --unconfined --json result.json x.cu' _ "$build"
    ends 0 "Accepted" "warning: the submission ran with sandbox none: /usr/bin/bwrap"
    [[ $output =~ ^"device "[^$'\n']*$'\n'"sandbox             none: /usr/bin/bwrap"[^$'\n']*": nothing is ranked"$'\n'"compile" ]] ||
        { echo "the output does not begin with what is missing:"; echo "$output"; return 1; }
    json result.json '.rank_status | startswith("not ranked: sandbox none: ")' true
    json result.json '.warnings[0] | contains("sandbox none")' true
}

@test "with --unconfined nothing is ranked, whatever the sandbox" {
    submission >x.cu
    judge grade --unconfined --json result.json x.cu
    ends 0 "sandbox             full, but --unconfined: nothing is ranked"
    ends 0 "Accepted"
    json result.json '[.sandbox, .rank_status] | join(", ")' "full, not ranked: --unconfined was given"
}

# shaky COUNT: a bubblewrap that fails for want of processes in its first COUNT calls.
shaky() {
    printf '#!/bin/sh\necho >>%q\n[ $(wc -l <%q) -gt %d ] || { echo "bwrap: Creating new namespace failed: %s" >&2; exit 1; }\nexec /usr/bin/bwrap "$@"\n' \
        "$PWD/calls" "$PWD/calls" "$1" "Resource temporarily unavailable" >bwrap
    chmod +x bwrap
    export CONVJUDGE_BWRAP=$PWD/bwrap
}

@test "a shortage that passes does not make the sandbox weaker" {
    submission >x.cu
    shaky 3
    judge grade --json result.json x.cu
    ends 0 "Accepted"
    json result.json .sandbox full
}

@test "a sandbox that cannot be made later is a fault of the judge" {
    submission >x.cu
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache
    local call
    for call in 2 3 4; do # device step, host step, runner; the first call tries the sandbox
        rm -f calls
        shaky 0
        sed -i "s/-gt 0/-ne $call/" bwrap
        judge grade x.cu
        ends 2 "sandbox could not be made" "Resource temporarily unavailable"
    done
}

@test "a sandbox that fails without a word says so" {
    submission >x.cu
    printf '// problem: conv1d\nvoid solve(%s) {}\n' "$conv1d_parameters" >x.c
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache
    local call file number whose
    for call in "x.cu 2 compiler" "x.cu 4 submission" "x.c 3 submission"; do
        read -r file number whose <<<"$call"
        rm -f calls
        shaky 0
        sed -i "s/-gt 0/-ne $number/; s/{ echo.*; exit 1; }/exit 1/" bwrap
        judge grade "$([[ $file == x.c ]] && echo --device=cpu || echo --device=sim)" "$file"
        ends 2 "the $whose's sandbox could not be made: no reason given"
    done
}

@test "a compiler that is killed from outside is a fault of the judge" {
    submission >x.cu
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache
    local call
    for call in 2 3; do # device step, host step
        rm -f calls
        shaky 0
        sed -i "s/-gt 0/-ne $call/; s/{ echo.*; exit 1; }/exit 137/" bwrap
        judge grade x.cu
        ends 2 "the compiler was killed; perhaps this machine is short of memory"
    done
}

@test "a compiler that has used up its processor time is a fault of the file" {
    submission >x.cu
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache
    shaky 0
    sed -i "s/-gt 0/-ne 3/; s/{ echo.*; exit 1; }/exit $((128 + $(kill -l XCPU)))/" bwrap # the host step
    judge grade x.cu
    ends 1 "compiling took too long" "compiling takes too long: the limit is 20 s of processor time"
}

@test "a file that says so is a file that does not compile" {
    { submission; echo '#error Killed signal terminated program cc1plus'; } >x.cu
    judge grade x.cu
    ends 1 "Compile Error"
}

@test "the same holds for a CPU baseline" {
    printf '// problem: conv1d\nvoid solve(%s) {}\n' "$conv1d_parameters" >x.c
    local call
    for call in 2 3; do # compiler, runner
        rm -f calls
        shaky 0
        sed -i "s/-gt 0/-ne $call/" bwrap
        judge grade --device cpu x.c
        ends 2 "sandbox could not be made" "Resource temporarily unavailable"
    done
}
