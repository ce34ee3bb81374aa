#!/usr/bin/env bats
# The clock of the simulated GPU: each attack on it (tests/attacks/clock_*.cu) must take at least as long as the same
# kernel without the attack, which is compiled where HONEST is defined.

bats_require_minimum_version 1.5.0
load helper

times() { # FILE: the modelled microseconds of each timed case
    judge grade --device sim --json "$BATS_TEST_TMPDIR/result.json" "$1" >&2
    ends 0 "Accepted" >&2
    jq '.cases[] | select(.timed) | .time_ms * 1000' "$BATS_TEST_TMPDIR/result.json"
}

gains_nothing() { # ATTACK
    local file=$root/tests/attacks/clock_$1.cu
    { sed '/^#include/,$d' "$file"; echo '#define HONEST'; sed -n '/^#include/,$p' "$file"; } >honest.cu
    times "$file" >attack.txt
    times honest.cu >honest.txt
    paste attack.txt honest.txt | awk '{ fault += !($2 > 0 && $1 >= 0.97 * $2) } END { exit !(NR > 1 && fault == 0) }' || {
        echo "microseconds of each case, with the attack and without:"
        paste attack.txt honest.txt
        return 1
    }
}

@test "several loads on one line of PTX are not copies of a loop" {
    gains_nothing loads_on_one_line
}

@test "fences are not copies of a loop" {
    gains_nothing fences_in_a_loop
}

@test "a loop that a slow path splits counts as a whole" {
    gains_nothing slow_path_in_a_loop
}

@test "spilled registers cost time" {
    gains_nothing spilled_registers
}

@test "blocks that are spared the misses of all others are no sample of the kernel" {
    gains_nothing spared_blocks
}

@test "warps that exit at once take no load from others" {
    gains_nothing warps_that_exit
}

@test "blocks that end at once take no load from others" {
    gains_nothing empty_blocks
}
