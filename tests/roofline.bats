#!/usr/bin/env bats
# Rooflines, the ladder below them, and rivals.

load helper

@test "roofline shows what the device allows, the ladder and kernels of others" {
    export CONVJUDGE_HOME=$PWD/home
    local folder solution
    mkdir -p home/solutions/conv1d/{accepted,rivals}
    for folder in base grader harness leaderboard problems simgpu; do ln -s "$root/$folder" "home/$folder"; done
    ln -s "$(dirname "$light")" home/testcases
    for solution in naive shared_tile; do cp "$root/solutions/conv1d/accepted/$solution.cu" home/solutions/conv1d/accepted/; done
    cp "$root/solutions/conv1d/accepted/vector_loads.cu" home/solutions/conv1d/rivals/rival.cu
    judge roofline --problem conv1d --device sim --json roofline.json
    ends 1 "conv1d (1D convolution) on NVIDIA H200 (simulated), times are modelled" "copy 4290 GB/s" "float32 66900 GFLOP/s" \
        "roofline by bytes" "roofline by float32" "roofline by TF32 tensor cores" "naive.cu" "best" "* rival.cu, float32" \
        "TOO CLOSE  its interval overlaps with that of the best reference solution, or it takes less than 10 % longer" \
        "Shares are of the direct roofline in that precision: the longer of the times for bytes and operations." "all cases, geometric mean"
    jq -e '.cases[] | (.bytes / 4.29e9 / .bytes_ms - 1 | fabs < 1e-9) and (.operations / 6.69e10 / .float32_ms - 1 | fabs < 1e-9)
        and ([.programs[].time_ms] | . == sort) and (.programs | length == 3)' roofline.json
    rows 0

    rm home/solutions/conv1d/rivals/rival.cu
    judge roofline --problem conv1d --device sim --json roofline.json
    ends 0
    jq -e '[.cases[].programs[].name] | unique == ["naive.cu", "shared_tile.cu"]' roofline.json

    cp "$root/solutions/conv1d/wrong_answer/flipped_filter.cu" home/solutions/conv1d/accepted/
    judge roofline --problem conv1d --device sim
    ends 1 "no times of flipped_filter.cu: Wrong Answer"
}

@test "PyTorch is told what to do for every problem, and says so where it cannot" {
    local problem
    for problem in "$root"/problems/*/; do
        problem=$(basename "$problem")
        python3 "$root/grader/judge/pytorch_rivals.py" "$root/solutions/$problem/rivals/pytorch.py" cuda:0 '{"cases": []}' \
            2>/dev/null | jq -e '.rivals | length > 0' >/dev/null || { echo "$problem"; return 1; }
    done
}

@test "one filter for each channel is also transformed in blocks of a few times its length" {
    run python3 -B - "$root/grader/judge" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from pytorch_rivals import Convolution, Data
for taps, channels in (2047, 1), (5, 1), (3, 2):
    data = Data.__new__(Data)
    data.shape = Convolution(input=(1, channels, 1500000), weight=(1, channels, taps))
    print(taps, data.lengths_of_blocks())
END
    ends 0 "2047 [8192, 16384]" "5 [1024, 2048, 4096]" "3 []"
}
