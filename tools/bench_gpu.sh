#!/usr/bin/env bash
# Measures the judge on a real GPU. Each figure stands beside its goal, or beside the same measurement without the
# judge.
# Usage: [DEVICE=cuda:0] [RUNS=10] tools/bench_gpu.sh BUILD   (DEVICE=sim tries the script and leaves out what needs a
# GPU)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
device=${DEVICE:-cuda}
runs=${RUNS:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CONVJUDGE_CACHE=$scratch/cache CONVJUDGE_DB=$scratch/leaderboard.db TMPDIR=$scratch

figure() { # NAME VALUE UNIT [COMPARISON]
    [[ -n $2 ]] || { echo "bench: no value: $1" >&2; exit 1; }
    printf '%-62s %10s %-4s %s\n' "$1" "$2" "$3" "${4-}"
}
grade() { # FILE RESULT
    "$build/convjudge" grade --no-record --device "$device" --json "$2" "$1" >"$2.log" 2>&1 || { cat "$2.log" >&2; exit 1; }
}
ordinary() { # PROGRAM FLAG... : an ordinary CUDA program; nothing where there is no GPU
    [[ $device == cuda* ]] || return 0
    "${CONVJUDGE_NVCC:-nvcc}" -O3 -arch=native "${@:2}" -o "$scratch/program" "$1"
}
run() { [[ $device != cuda* ]] || "$scratch/program" "$@"; }

# A home of the judge like this one in which only the cases of 1.5 million elements are timed.
case_home() {
    local kind=${device%%:*} folder
    mkdir -p "$scratch/home/simgpu" "$scratch/home/testcases/conv1d" "$scratch/home/leaderboard"
    for folder in base problems grader solutions harness simgpu/profiles leaderboard/devices leaderboard/references; do
        [[ ! -e $folder ]] || ln -s "$PWD/$folder" "$scratch/home/$folder"
    done
    cp -r testcases/conv1d "$scratch/home/testcases/"
    jq --arg kind "$kind" '.cases |= map(if .sizes.input_size == 1500000 then .timed = $kind else select(.timed | not) end)' \
        testcases/conv1d/hidden.json >"$scratch/home/testcases/conv1d/hidden.json"
    export CONVJUDGE_HOME=$scratch/home
}

latencies() {
    local judged ordinary
    grade tools/bench/latency.cu "$scratch/latency"
    ordinary tools/bench/latency.cu -DORDINARY_PROGRAM
    judged=$(jq -er '.cases[0].printed' "$scratch/latency")
    ordinary=$(run)
    awk '{ print $2, $4, $6, $8 }' <<<"$judged $ordinary" | while read -r wait launch own_wait own_launch; do
        figure "idle cudaDeviceSynchronize()" "$wait" us "goal: under 1; without the judge: ${own_wait:--}"
        figure "launch call" "$launch" us "goal: under 0.3; without the judge: ${own_launch:--}"
    done
}

grading() {
    local start=${EPOCHREALTIME/./}
    grade "$1" "$scratch/cold"
    figure "from convjudge grade to the verdict" $(((${EPOCHREALTIME/./} - start) / 1000)) ms
    jq -r '.seconds | "nvcc \(.compile) start \(.start) open \(.open // 0) checking \(.check // 0) waiting \(.wait // 0)"' "$scratch/cold" |
        tr ' ' '\n' | paste - - | while read -r step seconds; do
        case $step in
            start) step="start of the judge, to a known device" ;;
            open) step="start of a broker, to an open device (one of four)" ;;
            checking) step="checking timed outputs" ;;
            waiting) step="waiting for a free and steady device" ;;
        esac
        figure "  of that $step" "$(jq -n "$seconds * 1000 | round")" ms
    done
}

# Grades a solution RUNS times: the spread of score and cases, and the times compared with those without the judge.
spread() { # SOLUTION
    local name i
    name=$(basename "$1" .cu)
    for ((i = 0; i < runs; i++)); do grade "$1" "$scratch/$name.$i.json"; done
    jq -r -s '
        def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
        def mean: add / length;
        def spread: mean as $mean | "\(map(. - $mean | . * .) | mean | sqrt / $mean * 1e4 | round / 100) \((max - min) / $mean * 1e4 | round / 100)";
        "score - - \(map(.score_ms) | median * 1e6 | round / 1000) \(map(.score_ms) | spread)",
        (range(.[0].cases | map(select(.timed)) | length) as $i | map(.cases | map(select(.timed))[$i])
            | "case \(.[0].sizes.input_size) \(.[0].sizes.kernel_size) \(map(.time_ms) | median * 1e6 | round / 1000) \(map(.time_ms) | spread)")
        ' "$scratch/$name".*.json >"$scratch/$name"
    ordinary tools/bench/tight.cu "-DSOLUTION=\"$PWD/$1\""
    while read -r what input kernel us variation range; do
        if [[ $what == score ]]; then
            figure "$name, score" "$us" us "over $runs gradings: variation $variation %, max - min $range %, goal: under 1 from 50 us up"
        else
            tight=$(run "$input" "$kernel")
            figure "$name, $input x $kernel" "$us" us "variation $variation %, max - min $range %"
            figure "  the same without the judge" "${tight:--}" us \
                "$([[ -z $tight ]] || jq -n -r "\"judge's / this: \($us / $tight * 1e4 | round / 1e4)\"") goal: within 2 %"
        fi
    done <"$scratch/$name"
}

echo "# a real GPU: $("$build/convjudge" --version), device $device"
case_home
grading solutions/conv1d/accepted/naive.cu
latencies
for solution in naive shared_tile; do spread "solutions/conv1d/accepted/$solution.cu"; done

echo "# a class in one command, on all GPUs; goal with an H200 and 16 cores: 600 an hour, with four H200 3.6 times that"
tools/bench_class.sh "$build" cuda 120
