#!/usr/bin/env bats
# `convjudge retime`: the best of a board, timed side by side.

bats_require_minimum_version 1.5.0
load helper

# conv1d_class: Ada has the fastest reference solution, Bob a slower one.
conv1d_class() {
    judge grade --as Ada "$root/solutions/conv1d/accepted/fft_in_registers.cu"
    ends 0
    judge grade --as Bob "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
}

@test "contenders are timed in turn, and both orders are printed with their ratios" {
    conv1d_class
    judge retime --problem conv1d --device sim
    ends 0 "side by side        round 1, at most 2" "The orders agree." "  by the stored times" \
        "  side by side, 2 rounds; the ratio to the line above, round by round: median (smallest to largest)"
    counts 2 '^    1  Ada, run 1 +[0-9.]+ us'
    counts 2 '^    1  fft_in_registers.cu +[0-9.]+ us'
    counts 1 '^    3  Bob, run 2 +[0-9.]+ us$'
    counts 1 '^    3  Bob, run 2 +[0-9.]+ us  1\.[0-9]+ \((1\.[0-9]+) to \1\)$'
    counts 1 '1\.0000 \(1\.0000 to 1\.0000\), a tie$'
    rows 2
}

@test "--top leaves out who is slower" {
    conv1d_class
    judge retime --problem conv1d --top 1
    ends 0 "Ada, run 1" "fft_in_registers.cu"
    lacks Bob
}

@test "a stored time that cannot be repeated is contradicted" {
    conv1d_class
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE forged AS SELECT * FROM runs WHERE person = 'Bob';
        UPDATE forged SET id = 3, person = 'Eve', machine_code = 'e', score_ms = score_ms / 10;
        INSERT INTO runs SELECT * FROM forged"
    judge retime --problem conv1d
    ends 1 "The orders contradict each other."
    counts 1 '^    1  Eve, run 3 +1\.3[0-9]+ us$'
    counts 1 '^    [34]  Eve, run 3 +13\.[0-9]+ us'
}

@test "a submission that is no longer accepted has no time" {
    conv1d_class
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE forged AS SELECT * FROM runs WHERE person = 'Bob';
        UPDATE forged SET id = 3, person = 'Eve', machine_code = 'e', source_hash = 'wrong', file_name = 'wrong.cu';
        INSERT INTO runs SELECT * FROM forged;
        INSERT INTO sources (source_hash, source) SELECT 'wrong', replace(source, 'sum +=', 'sum -=')
            FROM sources, runs WHERE sources.source_hash = runs.source_hash AND runs.id = 2"
    judge retime --problem conv1d
    ends 1
    counts 1 '^    -  Eve, run 3 +-  Wrong Answer$'
}

@test "check-board holds modelled times against another device, and exits with 1 where one is outside" {
    conv1d_class
    judge check-board --problem conv1d --device sim
    ends 0 "conv1d (1D convolution), the board of sim-h200 against NVIDIA H200 (simulated)"
    counts 1 '^  Bob, run 2 +([0-9.]+ us) +[0-9.]+ us to [0-9.]+ us +\1 +1$'
    judge check-board --problem conv1d --device sim:a100 --top 1
    ends 1 "against NVIDIA A100 80 GB (simulated, uncalibrated)"
    counts 1 '^  Ada, run 1 .* us +[0-9.]+  outside$'
    lacks Bob
    rows 2
}

@test "check-board says where there is no GPU, and no board" {
    conv1d_class
    CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 judge check-board
    ends 2 "device 'cuda': no NVIDIA driver here"
    judge check-board --problem conv1d --board cpu
    ends 2 "check-board: --board: found 'cpu', expected sim or sim:PROFILE"
}

@test "a submission without a source is named, and not timed" {
    conv1d_class
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE old AS SELECT * FROM runs WHERE person = 'Bob';
        UPDATE old SET id = 3, person = 'Carol', machine_code = 'c', source_hash = 'unknown';
        INSERT INTO runs SELECT * FROM old"
    judge retime --problem conv1d
    ends 0 "not timed, since the database lacks the source: Carol"
    lacks "Carol, run"
}

@test "--top times so many people" {
    conv1d_class
    judge retime --problem conv1d --top 1 --device sim
    ends 0 "Ada, run 1" "The orders agree."
    lacks Bob
}

@test "a run that is timed again counts with the first one" {
    judge grade --as Ada "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
    judge retime --run 1 --device sim
    ends 0 "Accepted  naive.cu" "Run 1 took "
    rows 1
    judge retime --run 1 --device sim --record
    ends 0 "recorded    run 2" "1 of 1 in the class, as Ada" "Run 1 took "
    stored "SELECT count(DISTINCT person || source_hash || file_name || score_ms) FROM runs" 1
    rows 2
}
