#!/usr/bin/env bash
# Measures the judge itself: the time that it adds to nvcc's, the speed of the simulated GPU, the memory of a large
# case. Each figure stands beside the one to compare it with, from the same run. Usage: tools/bench.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CONVJUDGE_CACHE=$scratch/cache TMPDIR=$scratch

figure() { # NAME VALUE UNIT
    [[ -n $2 ]] || { echo "bench: no value: $1" >&2; exit 1; }
    printf '%-58s %12s %s\n' "$1" "$2" "$3"
}

quietly() { # COMMAND...: shows what it prints only if it fails
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; return 1; }
}

grade_on_one_core() { # FILE RESULT
    quietly taskset -c 0 "$build/convjudge" grade --no-record --json "$2" "$1"
}

seconds() { # RESULT KEY...: the sum of these steps of a grading
    local result=$1
    shift
    jq -r '.seconds as $s | [$ARGS.positional[] | $s[.]] | add * 1000 | round / 1000' --args "$@" <"$result"
}

echo "# a grading, one core"
for solution in solutions/{conv1d/accepted/naive,conv2d/accepted/naive,blur-rgb/accepted/naive_2d,conv-layer/accepted/tensor_cores}.cu; do
    problem=$(cut -d/ -f2 <<<"$solution")
    grade_on_one_core "$solution" "$scratch/cold.json"
    grade_on_one_core "$solution" "$scratch/warm.json"
    figure "$problem: nvcc" "$(seconds "$scratch/cold.json" compile)" s
    figure "$problem: added to nvcc for sample and hidden cases" "$(seconds "$scratch/warm.json" start compile sample hidden)" s
    figure "$problem: timed cases" "$(seconds "$scratch/warm.json" timed)" s
done

echo "# a source that does not compile, then the same again; goal: a fifth"
for try in first second; do
    status=0
    "$build/convjudge" grade --no-record --json "$scratch/$try.json" solutions/conv1d/compile_error/unknown_name.cu \
        >"$scratch/log" 2>&1 || status=$?
    [[ $status == 1 ]] || { cat "$scratch/log" >&2; exit 1; }
    figure "conv1d, a compile error, the $try time" "$(seconds "$scratch/$try.json" start compile)" s
done

echo "# conv1d, recorded on a board without runs, then on one with 100,000 of 5,000 people; goal: no difference"
grade_on_board() { # sets `elapsed`, in seconds
    local start=${EPOCHREALTIME/./}
    CONVJUDGE_DB=$scratch/history.db quietly "$build/convjudge" grade --as bench solutions/conv1d/accepted/naive.cu
    printf -v elapsed '%.3f' "$((${EPOCHREALTIME/./} - start))e-6"
}
grade_on_board
grade_on_board
figure "conv1d, recorded" "$elapsed" s
# What run 1 is, but of other people, with other times and other code.
sqlite3 "$scratch/history.db" "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO runs SELECT NULL, time_utc, 'person ' || (i % 5000), problem, revision, device, epoch, device_name, driver,
        toolkit, judge, sandbox, verdict, rank_status, score_ms * (1 + i * 7919 % 100003 / 1e4), uncertainty,
        i || machine_code, source_hash, file_name, sitting, cases FROM runs, n WHERE id = 1"
grade_on_board
figure "conv1d, recorded, with 100,000 runs" "$elapsed" s

echo "# the simulated GPU, one core, checks and counters on"
"$build/bench-simgpu"

# Most launches of the tests are short. Other things take most of the time, so the translator saves little.
echo "# a suite of \`make test\`, with everything compiled before; goal: half the time of the interpreter"
check_problem() { # ENGINE: sets `elapsed`, in seconds
    local start=${EPOCHREALTIME/./}
    CONVJUDGE_ENGINE=$1 quietly "$build/convjudge" check-problem --mutants 0 --problem conv1d-constant
    printf -v elapsed '%.3f' "$((${EPOCHREALTIME/./} - start))e-6"
}
check_problem ''
check_problem ''
figure "check-problem conv1d-constant" "$elapsed" s
check_problem interpreter
figure "  interpreted" "$elapsed" s

echo "# memory, conv1d with the largest input of its statement"
# A home of the judge like this one whose only timed case is the largest input.
mkdir -p "$scratch/home/simgpu" "$scratch/home/testcases"
for folder in base problems grader leaderboard solutions simgpu/profiles; do ln -s "$PWD/$folder" "$scratch/home/$folder"; done
cp -r testcases/conv1d "$scratch/home/testcases/"
jq '.cases |= map(select((.timed | not) or .sizes.input_size == 16777216))' \
    testcases/conv1d/hidden.json >"$scratch/home/testcases/conv1d/hidden.json"
# Peak resident memory of grader and broker, sampled while they run. Memory that they share counts twice.
CONVJUDGE_HOME=$scratch/home "$build/convjudge" grade --no-record --json "$scratch/large.json" \
    solutions/conv1d/accepted/naive.cu >"$scratch/log" 2>&1 &
grader=$!
declare -A peak=()
while kill -0 "$grader" 2>/dev/null; do
    # The broker's first process only waits for the second one.
    for pid in "$grader" $(pgrep -P "$(pgrep -d, -P "$grader" -f '^/proc/self/exe broker')" -f '^/proc/self/exe broker' || true); do
        kib=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true)
        [[ -z $kib ]] || peak[$pid]=$kib
    done
    sleep 0.02
done
wait "$grader" || { cat "$scratch/log" >&2; exit 1; }
total=0
for pid in "${!peak[@]}"; do total=$((total + peak[$pid])); done
figure "arrays of the case, $(jq -r '.cases[-1].name' "$scratch/large.json")" \
    "$(jq '.cases[-1].sizes | (2 * .input_size + 1) * 4 / 1048576 | floor' "$scratch/large.json")" MiB
figure "grader and broker together" $((total / 1024)) MiB

echo "# a class in one command; goal on two cores: 1500 an hour"
tools/bench_class.sh "$build" sim 60

status=0
"$build/convjudge" check --device cuda /dev/null >/dev/null 2>&1 || status=$?
[[ $status == 2 ]] || tools/bench_gpu.sh "$build" # 2: no GPU here
