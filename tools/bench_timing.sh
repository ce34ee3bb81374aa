#!/usr/bin/env bash
# Measures how well the judge's times repeat, on all GPUs of a host at once, one measurement at a time on each:
#   hosts   the same files graded on each GPU: do they agree within the uncertainties that are printed?
#   spread  four solutions by the judge, by a pair of events, by Triton's do_bench and by NVBench's rule (tools/bench/clocks.py)
#   pairs   two solutions 2 % apart, and two copies, timed again in turn (`convjudge retime`), as often as there is time
# Usage: [PARTS="hosts spread pairs"] [RUNS=10] [TAPS="127 31 5"] [OUT=FOLDER] tools/bench_timing.sh BUILD SECONDS DEVICE...
# DEVICE: cuda:0 and so on; sim tries the script, and leaves out what needs a GPU. OUT: keeps the figures. The part spread needs PyTorch.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 limit=$2 devices=("${@:3}")
runs=${RUNS:-10} rounds=4
read -ra pair_taps <<<"${TAPS:-127 31 5}"
read -ra parts <<<"${PARTS:-hosts spread pairs}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${OUT:-$scratch/out}
nvcc=${CONVJUDGE_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out"
export CONVJUDGE_CACHE=$scratch/cache TMPDIR=$scratch NO_COLOR=1

# FILE CASE...: what is compared with other tools (tools/bench/clocks.py); the judge times all cases of a problem.
compared=(
    "conv1d/naive 2047_taps=1500000,2047,1500000:1500000,2047 127_taps=1500000,127,1500000:1500000,127"
    "conv1d/fft_in_registers 2047_taps=1500000,2047,1500000:1500000,2047 five_taps=16777216,5,16777216:16777216,5"
    "conv2d/patch_in_registers 15_x_15=9437184,225,9437184:3072,3072,15,15 3_x_3=16777216,9,16777216:4096,4096,3,3"
    "conv2d-separable/partial_sums 1024_x_1024=1048576,17,17,1048576:1024,1024,8 2048_x_2048=4194304,17,17,4194304:2048,2048,8"
)

left() { echo $((limit - SECONDS)); }
has_gpu() { [[ ${devices[0]} == cuda* ]]; }
has_gpu || runs=2 rounds=1
grade() { # DEVICE FILE RESULT
    "$build/convjudge" grade --no-record --no-second-opinion --device "$1" --json "$3" "$2" >"$3.log" 2>&1 || { tail -n 5 "$3.log" >&2; return 1; }
}
on_each_device() { # FUNCTION: calls it with each device and its number, side by side
    local i pids=()
    for i in "${!devices[@]}"; do
        "$1" "${devices[i]}" "$i" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || echo "bench: a part of '$1' failed" >&2; done
}

# Standard deviation and range of the numbers of a column, in hundredths of the mean, with their median: of each group of lines with the
# same words before the last.
spreads() {
    sort | awk '
        function finish(   i, sum, squares) {
            for (i = 1; i <= n; i++) sum += x[i]
            for (i = 1; i <= n; i++) squares += (x[i] - sum / n) ^ 2
            printf "%s %.3f %.2f %.2f %d\n", key, n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2, 100 * sqrt(squares / n) / (sum / n), 100 * (x[n] - x[1]) / (sum / n), n
        }
        function insert(value,   i) { for (i = n++; i > 0 && x[i] > value; i--) x[i + 1] = x[i]; x[i + 1] = value }
        { value = $NF; sub(/ [^ ]*$/, "") }
        $0 != key { if (n) finish(); key = $0; n = 0 }
        { insert(value + 0) }
        END { if (n) finish() }'
}

# ---- the same files on each GPU

hosts_files=(conv1d/fft_in_registers conv2d/patch_in_registers)

hosts_on() { # DEVICE NUMBER
    local file i
    for ((i = 0; i < rounds; i++)); do
        for file in "${hosts_files[@]}"; do
            grade "$1" "solutions/${file/\///accepted/}.cu" "$out/hosts.${file/\//.}.$2.$i.json"
        done
    done
}

hosts() {
    local file i
    on_each_device hosts_on
    echo "# hosts: each file graded $rounds times on each device; us, uncertainties in %"
    printf '%-28s %-8s %9s %7s %9s %7s %7s %7s\n' file device score printed launch gap taken clock
    for file in "${hosts_files[@]}"; do
        for i in "${!devices[@]}"; do
            jq -r -s --arg file "$file" --arg device "${devices[i]}" '
                def median: map(. // 0) | sort | if length == 0 then 0 else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
                def digits($n): . * $n | round / $n;
                [$file, $device, (map(.score_ms * 1000) | median | digits(1000)), (map(.uncertainty * 100) | median | digits(100)),
                 (map(.launch_us) | median | digits(100)), (map(.clock_gap_us) | median | digits(100)), (map(.host_constant_us) | median | digits(100)),
                 (map(.blocks[]?.sm_clock_mhz) | median)] | @tsv' "$out/hosts.${file/\//.}.$i".*.json |
                while read -r file device score printed launch gap taken clock; do
                    printf '%-28s %-8s %9s %7s %9s %7s %7s %7s\n' "$file" "$device" "$score" "$printed" "$launch" "$gap" "$taken" "$clock"
                done
        done
        # Each grading with each other one: how many pairs differ by no more than both uncertainties say.
        for i in "${!devices[@]}"; do jq -r --arg i "$i" '"\($i) \(.score_ms) \(.uncertainty)"' "$out/hosts.${file/\//.}.$i".*.json; done | awk '
            { device[NR] = $1; score[NR] = $2; u[NR] = $3 }
            END {
                for (i = 1; i <= NR; i++)
                    for (k = 1; k < i; k++) {
                        other = device[i] != device[k]
                        difference = score[i] / score[k] - 1
                        pairs[other]++
                        agree[other] += difference ^ 2 <= u[i] ^ 2 + u[k] ^ 2
                    }
                printf "  agree within both uncertainties: %d of %d pairs of one device, %d of %d pairs of two\n", agree[0], pairs[0], agree[1], pairs[1]
            }'
    done
}

# ---- the spread of several methods

shared_object() { # FILE OBJECT [WITHOUT WAITS]: an ordinary shared object of a solution
    {
        echo '#include <cuda_runtime.h>'
        [[ $# -lt 3 ]] || echo '#define cudaDeviceSynchronize() static_cast<void>(0)'
        echo "#include \"$PWD/$1\""
    } >"$2.cu"
    "$nvcc" -O3 -arch=native -shared -Xcompiler -fPIC -I solutions -o "$2" "$2.cu"
}

spread_of() { # DEVICE FILE CASE...: each run is a grading, then a process of the other tools
    local device=$1 file=$2 name=${2/\//.} i
    for ((i = 0; i < runs && $(left) > 0; i++)); do
        grade "$device" "solutions/${file/\///accepted/}.cu" "$out/spread.$name.$i.json"
        jq -r --arg file "$file" '.cases | map(select(.timed))[] | "\($file) \(.name | gsub(" "; "_")) judge \(.time_ms * 1000)"' "$out/spread.$name.$i.json" >>"$out/spread"
        jq -r --arg file "$file" '"\($file) score judge \(.score_ms * 1000)"' "$out/spread.$name.$i.json" >>"$out/spread"
        [[ $device != cuda* ]] ||
            CUDA_VISIBLE_DEVICES=${device#cuda:} python3 tools/bench/clocks.py "${@:3}" "$scratch/$name.so" "$scratch/$name.queued.so" |
            sed "s|[^ ]*/$name||; s| .queued.so|,queued|; s| .so||; s|^|$file |" >>"$out/spread" ||
            echo "bench: a process of the other tools failed" >&2
    done
}

spread_on() { # DEVICE NUMBER: every so many of the files
    local i item
    for ((i = $2; i < ${#compared[@]}; i += ${#devices[@]})); do
        read -ra item <<<"${compared[i]}"
        spread_of "$1" "${item[@]}"
    done
}

spread() {
    local item
    if has_gpu; then
        for item in "${compared[@]}"; do
            item=${item%% *}
            shared_object "solutions/${item/\///accepted/}.cu" "$scratch/${item/\//.}.so" &
            shared_object "solutions/${item/\///accepted/}.cu" "$scratch/${item/\//.}.queued.so" without-waits &
        done
        wait
    fi
    on_each_device spread_on
    echo "# spread: over separate processes; 'queued': solve() does not wait for its work"
    printf '%-32s %-36s %-16s %10s %8s %10s %4s\n' file case method us "sd, %" "range, %" n
    spreads <"$out/spread" | while read -r file case method us deviation range n; do
        printf '%-32s %-36s %-16s %10s %8s %10s %4s\n' "$file" "$case" "$method" "$us" "$deviation" "$range" "$n"
    done
}

# ---- pairs

# A home of the judge in which one case of conv1d is timed, and no reference solution takes part.
pairs_home() { # FOLDER TAPS
    local folder
    mkdir -p "$1/simgpu" "$1/leaderboard" "$1/testcases/conv1d" "$1/solutions/conv1d"
    for folder in base problems grader harness simgpu/profiles leaderboard/devices; do
        ln -s "$PWD/$folder" "$1/$folder"
    done
    cp -r testcases/conv1d "$1/testcases/"
    jq --argjson taps "$2" '.cases |= map(if .sizes.input_size == 1500000 and .sizes.kernel_size == 127 then .sizes.kernel_size = $taps | .name = "pair"
        else select(.timed | not) end)' testcases/conv1d/hidden.json >"$1/testcases/conv1d/hidden.json"
}

with_extra_blocks() { # NUMBER FILE
    sed "s/EXTRA_BLOCKS = 0/EXTRA_BLOCKS = $1/" tools/bench/extra_blocks.cu >"$2"
}

# How many extra blocks make the solution 2 % slower: that of the candidates which comes nearest, by NVBench's rule.
choose_extra_blocks() { # DEVICE TAPS FOLDER
    local number libraries=()
    for number in 0 100 150 200 250 300 350; do
        with_extra_blocks "$number" "$3/$number.cu"
        { echo '#define cudaDeviceSynchronize() static_cast<void>(0)'; cat "$3/$number.cu"; } >"$3/queued.$number.cu"
        "$nvcc" -O3 -arch=native -shared -Xcompiler -fPIC -o "$3/$number.queued.so" "$3/queued.$number.cu" &
        libraries+=("$3/$number.queued.so")
    done
    wait
    CUDA_VISIBLE_DEVICES=${1#cuda:} python3 tools/bench/clocks.py "$2_taps=1500000,$2,1500000:1500000,$2" "${libraries[@]}" "${libraries[@]}" |
        awk '$2 == "nvbench" { sub(/.*\//, "", $3); n = $3 + 0; us[n] += $4; calls[n]++ }
            END { for (n in us) { ratio = us[n] / calls[n] * calls[0] / us[0]; d = (ratio - 1.02) ^ 2
                    print n, us[n] / calls[n], ratio > "/dev/stderr"
                    if (n > 0 && (best == "" || d < least)) { best = n; least = d } }
                  print best }'
}

# One line for each re-timing: TAPS ROUNDS, then the three in their order, each with MEDIAN LOW HIGH of its ratio to the one before it.
pairs_on() { # DEVICE NUMBER
    local folder=$scratch/pairs.$2 taps=${pair_taps[$2 % ${#pair_taps[@]}]} extra=240 person longest=0 start
    mkdir "$folder"
    pairs_home "$folder/home" "$taps"
    [[ $1 != cuda* ]] || extra=$(choose_extra_blocks "$1" "$taps" "$folder" 2>"$out/pairs.$2.candidates")
    export CONVJUDGE_HOME=$folder/home CONVJUDGE_DB=$folder/leaderboard.db
    with_extra_blocks 0 "$folder/Original.cu"
    with_extra_blocks "$extra" "$folder/Slower.cu"
    cp "$folder/Original.cu" "$folder/Copy.cu"
    for person in Original Slower Copy; do
        "$build/convjudge" grade --as "$person" --no-second-opinion --device "$1" "$folder/$person.cu" >"$folder/log" 2>&1 ||
            { tail -n 5 "$folder/log" >&2; return 1; }
    done
    echo "$1: $taps taps, $extra extra blocks" >"$out/pairs.$2.chosen"
    while ((longest == 0 || $(left) > longest + 5)); do
        start=$SECONDS
        "$build/convjudge" retime --problem conv1d --device "$1" >"$folder/retimed" 2>"$folder/log" || [[ $? == 1 ]] ||
            { tail -n 5 "$folder/log" >&2; return 1; }
        awk -v taps="$taps" '/side by side/ { begun = 1; printf "%s %s", taps, $4 }
            begun && /, run / { sub(/,/, "", $2); gsub(/[(),]/, " "); printf " %s", $2; if ($8) printf " %s %s %s", $7, $8, $10 }
            END { print "" }' "$folder/retimed" >>"$out/pairs"
        ((SECONDS - start < longest)) || longest=$((SECONDS - start + 1))
        [[ $1 == cuda* ]] || break
    done
}

pairs() {
    on_each_device pairs_on
    echo "# pairs: a solution, a copy of it, and one with extra blocks, timed again in turn"
    cat "$out"/pairs.*.chosen
    sort -n "$out/pairs" | awk '
        function report() {
            if (n == 0) return
            printf "%d taps, %d re-timings, %.1f rounds each; 2 %% apart: in the right place %d times, with a ratio of %.4f; ordered rightly %d of %d, wrongly %d; copies tie %d of %d\n",
                taps, n, rounds / n, placed, placed ? exp(sum / placed) : 0, right, n, wrong, ties, copies
            n = placed = sum = copies = rounds = right = wrong = ties = 0
        }
        function is_faster(median, low) { return low > 1 && median > tie }
        BEGIN { tie = 1 + sqrt(2) * 0.005 }
        $1 != taps { report(); taps = $1 }
        {
            n++
            rounds += $2
            second = is_faster($5, $6)
            third = is_faster($9, $10)
            if ($8 == "Slower") { placed++; sum += log($9) }
            copies += $4 != "Slower"
            right += $8 == "Slower" && third
            wrong += $4 == "Slower" && third || $3 == "Slower" && second
            ties += $8 == "Slower" && !second || $3 == "Slower" && !third
        }
        END { report() }'
}

echo "# $("$build/convjudge" --version), ${devices[*]}, $limit s"
! has_gpu || nvidia-smi -L
for part in "${parts[@]}"; do
    start=$SECONDS
    "$part" || echo "bench: part '$part' failed" >&2
    echo "# $part took $((SECONDS - start)) s"
done
