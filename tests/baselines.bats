#!/usr/bin/env bats
# CPU baselines, their table, and sweeps over macros.

bats_require_minimum_version 1.5.0
load helper

# baseline [STATEMENT] > FILE: conv1d in plain C that begins with the statement; right with FACTOR 1.
baseline() {
    cat <<EOF
// problem: conv1d
// sweep: FACTOR=1,2 TILE=128,256
#ifndef FACTOR
#define FACTOR 1
#endif
#ifndef TILE
#define TILE 64
#endif
void solve($conv1d_parameters)
{
    int outputs = input_size - kernel_size + 1;
    ${1-}
    for (int tile = 0; tile < outputs; tile += TILE) {
        int count = outputs - tile < TILE ? outputs - tile : TILE;
        float sums[TILE] = {0.0f};
        for (int k = 0; k < kernel_size; k++)
            for (int i = 0; i < count; i++)
                sums[i] += input[tile + i + k] * kernel[k];
        for (int i = 0; i < count; i++)
            output[tile + i] = sums[i] * FACTOR;
    }
}
EOF
}

# one_baseline [STATEMENT] > FILE: the same, with a single combination of macros to sweep.
one_baseline() {
    baseline "$@" | sed '/sweep:/s/,[0-9]*//g'
}

@test "a baseline is judged by a clock, not ranked and not recorded" {
    baseline >x.c
    judge grade --device cpu --json result.json x.c
    ends 0 "Accepted  x.c, problem conv1d on" "not ranked: a CPU baseline" "calls, without the first one" "GFLOP/s"
    lacks modelled
    rows 0
    json result.json '[.verdict, .rank_status, .device, .modelled, (.score_ms > 0), (.toolkit | startswith("gcc")),
        (.cases | map(select(.timed)) | length > 0 and all(.samples | length >= 1))] | map(tostring) | join("|")' \
        "Accepted|not ranked: a CPU baseline|cpu|false|true|true|true"
}

@test "a baseline that is wrong, crashes or is CUDA gets its verdict" {
    baseline 'if (input_size > 100) return;' >x.c
    judge grade --device cpu x.c
    ends 1 "Wrong Answer" "never written"
    baseline '__builtin_trap();' >x.c
    judge grade --device cpu x.c
    ends 1 "Run-Time Error" "signal"
    submission >x.cu
    judge grade --device cpu x.cu
    ends 1 "Compile Error" "x.cu:"
}

@test "a baseline that does not end in a hidden case is told so in the words of hidden cases" {
    limited_home 's/"wall_seconds": [0-9]*/"wall_seconds": 2/'
    baseline 'if (input_size > 100) for (;;) continue;' >x.c
    judge grade --device cpu x.c
    ends 1 "Time Limit Exceeded" "solve() took too long"
}

@test "a baseline runs in the sandbox" {
    baseline 'extern int open(const char *, int, ...); if (open("/etc/passwd", 0) >= 0 || open("'"$root"'/testcases/conv1d/hidden.json", 0) >= 0) __builtin_trap();' >x.c
    judge grade --device cpu x.c
    ends 0 "Accepted"
}

@test "check expects a stored baseline to be accepted" {
    mkdir -p solutions/conv1d/cpu_baselines
    baseline >solutions/conv1d/cpu_baselines/right.c
    baseline 'return;' >solutions/conv1d/cpu_baselines/wrong.c
    judge check solutions/conv1d/cpu_baselines/*.c
    ends 1 "expected Accepted, got Wrong Answer"
    has_lines "ok 1 - solutions/conv1d/cpu_baselines/right.c" "not ok 2 - solutions/conv1d/cpu_baselines/wrong.c"
}

@test "every problem has a CPU baseline" {
    local problem fault=0
    for problem in "$root"/problems/*/; do
        problem=$(basename "$problem")
        compgen -G "$root/solutions/$problem/cpu_baselines/*.c" >/dev/null || { echo "$problem has none"; fault=1; }
    done
    equal 0 "$fault"
}

@test "one table holds CPU baselines and reference solutions" {
    export CONVJUDGE_HOME=$PWD/home
    local folder
    mkdir -p home/solutions/conv1d/accepted
    for folder in base grader harness leaderboard problems simgpu testcases; do ln -s "$root/$folder" "home/$folder"; done
    cp -r "$root/solutions/conv1d/cpu_baselines" home/solutions/conv1d/
    cp "$root"/solutions/conv1d/accepted/{naive,shared_tile}.cu home/solutions/conv1d/accepted/
    judge baselines --problem conv1d --device sim
    ends 0 "conv1d (1D convolution)" "processors)" "(simulated): average of the calls' modelled times" "rung" "mean error" "over 1st" "over 2nd" "GFLOP/s" \
        "direct.c" "naive.cu" "shared_tile.cu"
    equal 1 "$(awk '$1 == "direct.c" { print $5 }' <<<"$output")"
    rows 0
    rm home/solutions/conv1d/accepted/*
    CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 judge baselines --problem conv1d --device cuda
    ends 0 ".cu  on Fake GPU: average of the calls' CUDA events, without the warm-up"
}

@test "a sweep times every combination, names the best, and shows the verdict of those that are wrong" {
    baseline >x.c
    judge sweep --device cpu x.c
    ends 0 "FACTOR" "TILE" "Best: FACTOR=1 TILE="
    counts 2 'Wrong Answer'
    rows 0
}

@test "a sweep of a CUDA file runs on the simulated GPU" {
    submission >plain.cu
    { echo '// sweep: THREADS=64,256'; printf '#ifndef THREADS\n#define THREADS 32\n#endif\n'; sed 's/256, /THREADS, /; s/, 256/, THREADS/; s/255) \/ 256/THREADS - 1) \/ THREADS/' plain.cu; } >x.cu
    judge sweep --device sim x.cu
    ends 0 "times are modelled" "THREADS" "Best: THREADS="
    counts 2 '^[> ] +(64|256) .* +[mu]s '
    sed -i 's/THREADS=64,256/THREADS=256,0x100/' x.cu # one number
    judge sweep --device sim x.cu
    ends 0 " (1 other is not significantly slower)"
}

@test "a sweep without an accepted combination fails" {
    one_baseline 'return;' >x.c
    judge sweep --device cpu x.c
    ends 1 "No combination is accepted"
}

@test "sections for GPU code in a CPU baseline are nothing to the judge" {
    {
        one_baseline
        printf '%s\n' '__asm__(".pushsection .nv_fatbin, \"a\"\n.fill 4096, 1, 0x50\n.popsection\n.pushsection .nvFatBinSegment, \"a\"\n.quad 1\n.popsection");'
    } >x.c
    judge grade --device cpu --no-record x.c
    ends 0 "Accepted"
}
