#!/usr/bin/env bats
# Fitting a profile of the simulated GPU to a real one, and how well the model agrees. tools/hardware/h200/figures.txt holds figures of an H200 as
# lab/measurements.md has them ("The hardware"), in the form that simgpu/calibrate/calibrate.cu prints.

bats_require_minimum_version 1.5.0
load helper

figures=$root/tools/hardware/h200/figures.txt

# fit FIGURES [BASE]: leaves the profile in profile.json; sets status and output, which holds the complaints.
fit() {
    run bash -c '"$1"/simgpu/calibrate/fit_profile.py "$2" "$1/simgpu/profiles/$3.json" 2>&1 >profile.json' - "$root" "$1" "${2:-h200}"
}

# near KEY OF_PROFILE: the fitted value is within 15 % of that profile's.
near() {
    jq -e --slurpfile theirs "$root/simgpu/profiles/$2.json" --arg key "$1" '
        [[.[$key]] | flatten, ([$theirs[0][$key]] | flatten)] | transpose | all(.[0] / .[1] - 1 | fabs < 0.15)' profile.json >/dev/null ||
        { echo "$1: $(jq -c ".$1" profile.json), expected about $(jq -c ".$1" "$root/simgpu/profiles/$2.json")"; return 1; }
}

@test "the figures of an H200 give its profile, even where they begin from another GPU's" {
    fit "$figures" a100
    [[ $status == 0 ]]
    for key in multiprocessors clock_hz fp32_lanes integer_lanes special_lanes fp64_lanes tensor_multiply_adds l2_bytes memory_bytes \
        dram_read_bytes_per_s dram_copy_bytes_per_s l2_bytes_per_s fma_flops_per_s global_latency_s l2_latency_s l1_latency_s \
        shared_latency_s constant_latency_s arithmetic_latency_s constant_loads uniform_reach_bytes constant_miss_s launch_s \
        events_s host_wait_s block_start_s copy_overhead_s bus_overhead_s; do
        near "$key" h200
    done
}

@test "a fitted profile says of each value whether it was measured, and can be used" {
    grep -v 'empty blocks' "$figures" >fewer.txt
    fit fewer.txt
    ends 0 "not measured: block_start_s (no figure '1000000 empty blocks of 256')"
    json profile.json '.sources | .l1_latency_s, .block_start_s, .combine_power' \
        $'measured on this GPU: figure of that name\nnot measured: taken over from the NVIDIA H200, in cycles\nnot measured: taken over from the NVIDIA H200'
    json profile.json '.calibrated' false
    mkdir -p home/simgpu/profiles
    ln -s "$root"/{base,grader,harness,leaderboard,problems,testcases,solutions} home/
    mv profile.json home/simgpu/profiles/mine.json
    CONVJUDGE_HOME=$PWD/home judge references --problem conv1d --device sim:hers
    ends 2 "known profiles: mine"
    sed -i 's/"clock_hz": .*/"clock_hz": 1,/' home/simgpu/profiles/mine.json
    CONVJUDGE_HOME=$PWD/home judge references --problem conv1d --device sim:mine
    ends 2 "clock_hz"
}

@test "what is not the output of the micro-benchmarks is refused by line" {
    { cat "$figures"; echo "an error occurred"; } >bad.txt
    fit bad.txt
    ends 1 "bad.txt:$(wc -l <bad.txt): expected a figure, 'name value unit'"
    { cat "$figures"; echo "fma nan x"; } >bad.txt
    fit bad.txt
    ends 1 "'fma' is no number"
    echo "fma 1 x" >bad.txt
    fit bad.txt
    ends 1 "expected the output of calibrate.cu"
}

@test "calibrate-model measures real GPUs alone, and says what is missing" {
    run "$root/tools/hardware/calibrate_model.sh" build sim
    ends 2 "it measures a real GPU: expected DEVICE=cuda or cuda:N, got 'sim'"
    mkdir bin
    for tool in bash dirname realpath jq python3 tr; do ln -s "$(command -v "$tool")" bin/; done
    printf '#!/bin/sh\n' >bin/nvcc
    chmod +x bin/nvcc
    PATH=$PWD/bin CONVJUDGE_NVCC=$PWD/bin/nvcc run "$root/tools/hardware/calibrate_model.sh" build cuda
    ends 2 "nvidia-smi is missing; it comes with NVIDIA's driver"
    printf '#!/bin/sh\nexit 6\n' >bin/nvidia-smi
    chmod +x bin/nvidia-smi
    PATH=$PWD/bin CONVJUDGE_NVCC=$PWD/bin/nvcc run "$root/tools/hardware/calibrate_model.sh" build cuda:7
    ends 2 "there is no GPU number 7"
}

# table ROW...: writes table.tsv; a row is FILE CASE MEASURED MODELLED LIMITER, or with DOUBT_OF_TEXTURES behind.
table() {
    local columns=(file case gpu measured_us modelled_us limiter doubts)
    (IFS=$'\t' && echo "${columns[*]}") >table.tsv
    for row; do
        # shellcheck disable=SC2086
        set -- $row
        printf '%s\t%s\th200\t%s\t%s\t%s\t%s\n' "${@:1:5}" "${6:+a kernel fetches from textures}" >>table.tsv
    done
}

@test "kernels that are held back, problems and kinds are evaluated apart" {
    # Scores: slow is modelled twice as slow as it is, fast as it is, and held 1.25 times as fast, which is in the wrong order.
    table "conv1d/slow.cu one 100 200 lsu" "conv1d/slow.cu two 100 200 constant" "conv1d/fast.cu one 50 50 lsu" \
        "conv1d/fast.cu two 50 50 lsu" "held_back/conv1d/held.cu one 60 48 lsu" "held_back/conv1d/held.cu two 60 48 lsu" \
        "conv3d/alone.cu one 70 77 lsu DOUBT_OF_TEXTURES"
    printf 'conv3d/unmeasured.cu\tone\th200\t\t70\tlsu\t\n' >>table.tsv
    run "$root/tests/hardware/evaluate.py" table.tsv
    [[ $status == 0 ]]
    row() { grep -m1 "^ *$1  " <<<"$output" | tr -s ' '; }
    [[ $(row conv1d) == "conv1d 3 3 0.33 25% 25% 100% 1.00" ]]
    [[ $(row conv3d) == "conv3d 1 0 - 10% 10% 10% 1.10" ]]
    [[ $(row "held back") == " held back 1 0 - 25% 25% 25% 0.80" ]]
    [[ $(row "not held back") == " not held back 3 1 1.00 10% 10% 100% 1.10" ]]
    [[ $(row constants) == " constants 1 0 - 100% 100% 100% 2.00" ]]
    [[ $(row doubt_textures) == " doubt_textures 1 0 - 10% 10% 10% 1.10" ]]
    [[ $output == *"worst pairs"*"conv1d/fast/one 50.0, 50.0; held_back/conv1d/held 60.0, 48.0"* ]]
}

@test "each time of a kernel belongs to a file, and each kernel says its technique and its problem" {
    cd "$root/tests/hardware"
    for kernel in */*.cu held_back/*/*.cu; do
        [[ $(sed -n 1p "$kernel") =~ ^//\ .*\.$ ]] || { echo "$kernel: expected a sentence in line 1"; return 1; }
        [[ $(sed -n 2p "$kernel") == "// problem: $(basename "$(dirname "$kernel")")" ]] || { echo "$kernel: expected its problem in line 2"; return 1; }
    done
    if [[ -e times.tsv ]]; then sed 1d times.tsv | cut -f1 | sort -u | xargs ls >/dev/null; fi
}
