#!/usr/bin/env bash
# Tests the judge on a machine with a real GPU. Prints TAP; the last line is `N passed, N failed`. Needs the built
# judge, what the judge needs itself (nvcc, gcc), and jq; CONVJUDGE_BWRAP may name a bubblewrap that is not installed.
# Several GPUs share the parts: each takes the next one that none has begun, the longest first.
# Usage: [DEVICE=cuda:1] [COUNT=200] tests/gpu.sh BUILD [PART]...     DEVICE=cuda:0,cuda:1 names several; cuda: all there are; sim tries the script itself
# COUNT: how often the part `same` grades one file; 10 otherwise
# PART: repeat, same, groups, faults, managed, printed, timed, forged, together, second, review, class, solutions, student, features, attacks, leaks, ladders, naive; without any all of them, in this order.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
parts=("${@:2}")
[[ ${#parts[@]} -gt 0 ]] || parts=(repeat same groups faults managed printed timed forged together second review class solutions student features attacks leaks ladders naive)
device=${DEVICE:-cuda}
if [[ $device == cuda ]]; then device=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null | sed 's/^/cuda:/' | paste -sd ,) || true; fi
IFS=, read -ra devices <<<"${device:-cuda}"
device=${devices[0]}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CONVJUDGE_DB=$scratch/leaderboard.db TMPDIR=$scratch NO_COLOR=1
honest=solutions/conv1d/accepted/naive.cu
passed=0 failed=0
# shellcheck source=/dev/null
source tests/processes.sh

status=0
why=$("$build/convjudge" check --device "$device" /dev/null 2>&1) || status=$?
if [[ $status == 2 ]]; then
    echo "test-gpu: $why"
    exit 2
fi

# share PART...: runs the parts on all devices, each by a copy of this script; prints what each has to say when it ends.
share() {
    local part line passed=0 failed=0
    # shellcheck disable=SC2016 # expanded by the inner bash
    printf '%s\n' "$@" | DEVICES=${devices[*]} xargs -P ${#devices[@]} -n 1 --process-slot-var=SLOT bash -c '
        read -ra devices <<<"$DEVICES"
        DEVICE=${devices[SLOT]} "$0" "$1" "$3" >"$2/$3" 2>&1 || true
        printf "# %s, on %s\n%s\n" "$3" "${devices[SLOT]}" "$(<"$2/$3")"' "$0" "$build" "$scratch"
    for part in "$@"; do
        line=$(tail -n 1 "$scratch/$part" 2>/dev/null)
        if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
            passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
        else
            echo "# $part did not come to its end"
            failed=$((failed + 1))
        fi
    done
    echo "$passed passed, $failed failed"
    [[ $failed == 0 ]]
}
if [[ ${#devices[@]} -gt 1 && ${#parts[@]} -gt 1 ]]; then
    ordered=()
    for part in solutions leaks attacks ladders faults forged naive "${parts[@]}"; do
        if [[ " ${parts[*]} " == *" $part "* && " ${ordered[*]} " != *" $part "* ]]; then ordered+=("$part"); fi
    done
    share "${ordered[@]}"
    exit
fi

result() { # STATUS NAME [FILE]: one line of TAP; of a failure also the contents of FILE
    if [[ $1 == 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    echo "$([[ $1 == 0 ]] || echo 'not ')ok $((passed + failed)) - $2"
    [[ $1 == 0 || $# -lt 3 ]] || sed 's/^/# /' "$3"
}

suite() { # FOLDER: checks all its files, some of them side by side; a file without a verdict is a failure
    local line missing files
    mapfile -t files < <(find "$1" \( -name '*.cu' -o -name '*.patch' \) -not -path '*/naive/*' | sort)
    missing=${#files[@]}
    while IFS= read -r line; do
        case $line in
            1..*) ;;
            ok*) result 0 "${line#* - }"; missing=$((missing - 1)) ;;
            not\ ok*) result 1 "${line#* - }"; missing=$((missing - 1)) ;;
            *) echo "$line" ;;
        esac
    done < <(printf '%s\0' "${files[@]}" | xargs -0 -P $((($(nproc) + 3) / 4 < 8 ? ($(nproc) + 3) / 4 : 8)) -n 4 "$build/convjudge" check --device "$device" 2>&1)
    [[ $missing == 0 && ${#files[@]} != 0 ]] || result 1 "$1: $missing of ${#files[@]} files without a verdict"
}

grade() { # FILE RESULT [OPTION]: report and progress go to RESULT.log; `overhead` is its time without nvcc and the timed cases
    local status=0 start=$EPOCHREALTIME
    rm -f "$2"
    "$build/${program:-convjudge}" grade --no-record --device "$device" --json "$2" "${@:3}" "$1" >"$2.log" 2>&1 || status=$?
    [[ ! -e $2 ]] || jq "(.seconds | .compile + .timed) as \$s | .overhead = $EPOCHREALTIME - $start - \$s" "$2" >"$2.new"
    [[ ! -e $2.new ]] || mv "$2.new" "$2"
    return "$status"
}

holds() { # NAME FILTER RESULT...: a jq condition over the results
    local fault=0
    jq -e -s "$2" "${@:3}" >/dev/null 2>&1 || fault=1
    result "$fault" "$1" <(jq -c '{verdict, text, rank_status, device, score_ms, uncertainty, seconds, overhead}' "${@:3}" 2>&1)
}

# NAME: the previous grading has no effect on the next one. Parts on other GPUs, which share the driver, may hold up the
# opening of this one, and the hidden cases are prolonged to a power of two.
next_is_honest() {
    grade "$honest" "$scratch/next" || true
    # shellcheck disable=SC2016 # the variable is jq's
    holds "after $1 a grading starts at once and has its usual time" '.[0] as $usual | .[1] | .verdict == "Accepted"
        and .overhead - .seconds.open - .seconds.hidden < $usual.overhead - $usual.seconds.open - $usual.seconds.hidden + 1 and .score_ms / $usual.score_ms < 1.2
        and $usual.score_ms / .score_ms < 1.2' "$scratch/usual" "$scratch/next"
}

fault() { # NAME VERDICT FILE
    grade "$3" "$scratch/fault" || true
    holds "$1: $2" "all(.verdict == \"$2\")" "$scratch/fault"
    next_is_honest "$1"
}

kill_within() { # PID PATTERN: kills a descendant by its command line, half a second after it appears: then solve() runs
    local pid tries
    for ((tries = 0; tries < 200; tries++)); do
        if pid=$(descendant "$1" "$2"); then
            sleep 0.5
            kill -9 "$pid"
            return
        fi
        sleep 0.1
    done
    echo "# no process '$2' appeared within 20 s" >&2
}

# killed PATTERN RESULT: grades an endless host loop and kills the process of the judge that matches meanwhile; sets `status`. A second
# opinion has such processes, too.
killed() {
    status=0
    grade solutions/conv1d/time_limit_exceeded/infinite_host_loop.patch "$2" --no-second-opinion &
    local grading=$!
    kill_within "$grading" "$1"
    wait "$grading" || status=$?
}

# leaves_behind LOOP: conv1d with a first kernel that spins in LOOP; solve() does not wait for it.
leaves_behind() {
    sed "s|^extern \"C\"|__global__ void spin() { long long start = clock64(); $1; }\n&|
         s|^    *convolve<<<|    spin<<<1, 1>>>();\n&|; /cudaDeviceSynchronize/d" "$honest"
}

part_repeat() {
    grade "$honest" "$scratch/again" || true
    holds "the same submission has the same time again, within four uncertainties" '(.[0].score_ms / .[1].score_ms | log | fabs)
        <= 4 * ([.[].uncertainty | . * .] | add | sqrt)' "$scratch/usual" "$scratch/again"
}

part_same() {
    local status=0
    tests/same_verdict.sh "$build" "${COUNT:-10}" "$device" >"$scratch/same" || status=$?
    result "$status" "one honest file has the same verdict ${COUNT:-10} times" "$scratch/same"
}

part_groups() {
    local group='' runner limits tries
    grade solutions/conv1d/time_limit_exceeded/infinite_host_loop.patch "$scratch/fault" --no-second-opinion &
    local grading=$!
    for ((tries = 0; tries < 200; tries++)); do
        if runner=$(descendant "$grading" '/judge/convjudge-runner *'); then
            group=$(sed -n 's|^0::\(.*/convjudge\.[^/]*\).*|/sys/fs/cgroup\1|p' "/proc/$runner/cgroup")
            limits=$(cat "$group/memory.max" "$group/memory.swap.max" "$group/memory.oom.group" "$group/pids.max" 2>/dev/null | tr '\n' ' ') || true
            break
        fi
        sleep 0.1
    done
    wait "$grading" || true
    if [[ -z $group ]]; then
        echo "# this machine lends no control groups with limits"
        return
    fi
    [[ $limits =~ ^[0-9]+\ (0\ )?1\ [0-9]+\ $ ]] && tries=0 || tries=1
    result $tries "a runner's control group has limits: $limits"
    [[ ! -e $group ]] && tries=0 || tries=1
    result $tries "no control group is left"
}

part_faults() {
    fault "an infinite kernel" "Time Limit Exceeded" solutions/conv1d/time_limit_exceeded/infinite_kernel.cu
    fault "an illegal address" "Run-Time Error" solutions/conv1d/run_time_error/null_pointer.cu
    fault "device memory exhausted" "Memory Limit Exceeded" solutions/conv1d/memory_limit_exceeded/allocates_too_much.cu
    leaves_behind 'while (clock64() - start < 4000000) ' >"$scratch/slow.cu"
    fault "a kernel still running when solve() returns" "Accepted" "$scratch/slow.cu"
    leaves_behind 'while (clock64() != start) ' >"$scratch/endless.cu"
    fault "an endless kernel left behind" "Time Limit Exceeded" "$scratch/endless.cu"
    killed '/judge/convjudge-runner *' "$scratch/fault"
    holds "a killed runner: Run-Time Error" 'all(.verdict == "Run-Time Error")' "$scratch/fault"
    next_is_honest "a killed runner"
    killed '/proc/self/exe broker *' "$scratch/fault"
    result $((status != 2)) "a killed broker is an error of the judge" "$scratch/fault.log"
    next_is_honest "a killed broker"
}

part_together() {
    grade "$honest" "$scratch/one" & grade "$honest" "$scratch/two" & wait || true
    holds "two gradings at once are both accepted with the usual time, and one waits" 'all(.verdict == "Accepted") and .[0].score_ms / .[1].score_ms < 1.2
        and .[1].score_ms / .[0].score_ms < 1.2 and ((.[0].device | startswith("sim")) or ([.[].seconds.wait] | max) > 1)' \
        "$scratch/one" "$scratch/two"
}
# What the simulated GPU says of files that a real one judges otherwise.
part_second() {
    local program=convjudge-patient # a file that fails at once ends long before the simulated GPU does
    local file folder=tests/second_opinion
    holds "the second opinion on an honest file agrees" 'all(.second_opinion.verdict == "Accepted" and .second_opinion.agrees)' "$scratch/usual"
    "$build/convjudge" grade --no-record --no-second-opinion --device "$device" --json "$scratch/alone" "$honest" >"$scratch/alone.log" 2>&1 || true
    # shellcheck disable=SC2016 # the variable is jq's
    holds "without a second opinion there is none, and the time is the same" '.[0] as $usual | .[1] | has("second_opinion") == false
        and .score_ms / $usual.score_ms < 1.02 and $usual.score_ms / .score_ms < 1.02 and $usual.seconds.hidden <= .seconds.hidden + 1' \
        "$scratch/usual" "$scratch/alone"
    grade $folder/out_of_bounds.cu "$scratch/second" || true
    holds "a read out of bounds is accepted, and told by the second opinion" 'all(.verdict == "Accepted" and (.second_opinion |
        .verdict == "Run-Time Error" and .reason == "undefined behaviour" and (.text | contains("past its last element input["))))' "$scratch/second"
    grade $folder/uninitialised.cu "$scratch/second" || true
    holds "a read of what nothing has written is accepted, and told by the second opinion" 'all(.verdict == "Accepted" and (.second_opinion |
        .verdict == "Wrong Answer" and .reason == "undefined behaviour"))' "$scratch/second"
    for file in $folder/clamped_offsets{,_uchar4}.cu; do
        grade "$file" "$scratch/second" || true
        holds "$file: a right file that ptxas miscompiles is accepted with -Xptxas -O0" 'all(.verdict == "Accepted" or (.verdict == "Wrong Answer" and
            (.second_opinion | .verdict == "Accepted" and .reason == "ptxas")))' "$scratch/second"
        jq -r '"# \(.file): \(.verdict), second opinion \(.second_opinion)"' "$scratch/second"
    done
}
# The judge looks long for what the host had put into such an output, and that is no forged clock.
part_managed() {
    grade tests/student/conv1d_managed_result.cu "$scratch/managed" --no-second-opinion || true
    holds "an output that comes from managed memory which the host has filled is accepted" 'all(.verdict == "Accepted")' "$scratch/managed"
}
# The driver keeps what kernels print for as long as nobody waits for the device.
part_printed() {
    grade tests/student/conv1d_printf.cu "$scratch/printed" --no-second-opinion || true
    holds "what kernels print stands with the case that they belong to" 'all(.verdict == "Accepted") and (.[0].cases[0].printed |
        contains("solve 6 x 3") and contains("thread 2: output[2]") and contains(", 6)"))' "$scratch/printed"
}
# Right programs as students write them, with the timed cases, which no check runs; on all GPUs if no other part runs.
part_timed() {
    local file name fault where=$device files
    [[ ${#devices[@]} == 1 ]] || where=cuda
    mapfile -t files < <(grep -l '^// expect: Accepted$' tests/student/*.cu)
    mkdir -p "$scratch/timed"
    cp "${files[@]}" "$scratch/timed/"
    "$build/convjudge" grade-class --device "$where" --dir "$scratch/timed" --state "$scratch/timed.state" --json "$scratch/timed.json" >"$scratch/timed.log" 2>&1 || true
    [[ -s $scratch/timed.json ]] || sed 's/^/# /' "$scratch/timed.log"
    for file in "${files[@]}"; do
        name=$(basename "$file" .cu) fault=0
        jq -e --arg name "$name" 'any(.submissions[]; .person == $name and .verdict == "Accepted")' "$scratch/timed.json" >/dev/null 2>&1 || fault=1
        result "$fault" "$file is accepted, with its timed cases" <(grep -F "$name" "$scratch/timed.log")
    done
}
part_forged() {
    grade tests/attacks/forge_event_times.cu "$scratch/forged" || true
    # shellcheck disable=SC2016 # the variable is jq's
    holds "forged event times gain nothing" '.[0].score_ms as $usual | .[1] | .verdict != "Accepted" or .score_ms > 0.9 * $usual' \
        "$scratch/usual" "$scratch/forged"
    grade tests/attacks/work_in_the_first_call.cu "$scratch/worked" || true
    # shellcheck disable=SC2016 # the variables are jq's
    holds "work in a warm-up call is spread over the timed calls of its block" '.[0].score_ms as $usual | .[1] | .score_ms > 2 * $usual and
        ([.cases[] | select(.timed) | (.samples | length) as $n | .warm_up | length > 0 and $n > 0] | all) and
        ([.cases[] | select(.timed) | .samples[].charged_ms] | min > 0)' "$scratch/usual" "$scratch/worked"
    holds "an honest submission is charged nothing" '[.[0].cases[] | select(.timed) | .samples[] | has("charged_ms")] | any | not' "$scratch/usual"
    grade tests/attacks/wait_on_the_device.cu "$scratch/waited" || true
    holds "kernels that wait 2 s in each call use up the budget of the grading" '.[0] | .verdict == "Time Limit Exceeded" and
        (.text | contains("budget of the grading")) and (.seconds | .sample + .hidden + .timed) < 90' "$scratch/waited"
    [[ ! -e $scratch/forged ]] || jq -r '"# forged event times: \(.verdict): \(.text)"' "$scratch/forged"
    for file in tests/attacks/host_result_through_{a_buffer,everything}.cu; do
        grade "$file" "$scratch/forged" || true
        holds "$file: found in timed calls" 'all(.verdict == "Rule Violation")' "$scratch/forged"
    done
}
# A home of the judge in which the only reference solution computes everything four times over.
slow_home() {
    mkdir -p "$1"/{simgpu,problems,testcases,leaderboard/references,solutions/conv1d/accepted}
    ln -s "$PWD/base" "$PWD/grader" "$PWD/harness" "$1/"
    ln -s "$PWD/simgpu/profiles" "$1/simgpu/"
    ln -s "$PWD/problems/conv1d" "$1/problems/"
    ln -s "$PWD/testcases/conv1d" "$1/testcases/"
    ln -s "$PWD/leaderboard/devices" "$1/leaderboard/"
    sed 's/^ *convolve<<<.*/& & & &/' "$honest" >"$1/solutions/conv1d/accepted/slow.cu"
}

part_review() {
    local status=0
    slow_home "$scratch/home"
    export CONVJUDGE_HOME=$scratch/home
    "$build/convjudge" grade --as Ada --device "$device" --json "$scratch/review" solutions/conv1d/accepted/vector_loads.cu >"$scratch/review.log" 2>&1 || true
    holds "an honest result far ahead of all others ranks after a second sitting" 'all(.rank_status == "ranked" and .second_sitting.verdict == "Accepted"
        and ([.cases[] | select(.timed)] | all(.review.time_ms / .time_ms < 1.05 and .time_ms / .review.time_ms < 1.05)))' "$scratch/review"
    "$build/convjudge" retime --problem conv1d --device "$device" >"$scratch/retime.log" 2>&1 || status=$?
    result "$status" "the best timed side by side keep their order" "$scratch/retime.log"
    unset CONVJUDGE_HOME
}

# What a teacher does with a class: points for groups of cases, a whole folder, a run timed again.
part_class() {
    local file status=0
    "$build/convjudge" grade --no-record --device "$device" --all-cases "$scratch/cases" solutions/conv1d/accepted/register_tile.cu >"$scratch/cases.log" 2>&1 || true
    holds "every case has a verdict" 'all(.cases | length > 10 and all(.verdict == "Accepted"))' "$scratch/cases"
    mkdir -p "$scratch/class"
    for file in solutions/conv1d/{accepted/{naive,register_tile,vector_loads},wrong_answer/flipped_filter,time_limit_exceeded/infinite_kernel}.cu; do
        { echo "// problem: conv1d"; cat "$file"; } >"$scratch/class/$(basename "$file" .cu).cu"
    done
    "$build/convjudge" grade-class --device "$device" --dir "$scratch/class" --state "$scratch/class.state" --json "$scratch/graded" >"$scratch/graded.log" 2>&1 || true
    holds "a class gets the verdicts of its files" '[.[].submissions[].verdict] | sort == ["Accepted", "Accepted", "Accepted", "Time Limit Exceeded", "Wrong Answer"]' "$scratch/graded"
    rm -f "$scratch/again.db"
    CONVJUDGE_DB=$scratch/again.db "$build/convjudge" grade --as ada --device "$device" solutions/conv1d/accepted/naive.cu >"$scratch/graded.log" 2>&1 || true
    CONVJUDGE_DB=$scratch/again.db "$build/convjudge" retime --run 1 --record --device "$device" >"$scratch/again.log" 2>&1 || status=$?
    result "$status" "a run is timed again" "$scratch/again.log"
}

part_solutions() { suite solutions; suite tests/judge; }
part_student() { suite tests/student; }
part_features() { suite tests/features; }
part_attacks() { suite tests/attacks; }
# tap NAME COMMAND...: counts the tests of a script, which prints TAP, with a plan or several; a plan that was not kept is a failure.
tap() {
    local line planned=0 seen=0
    while IFS= read -r line; do
        case $line in
            1..*) line=${line#1..} planned=$((planned + ${line%% *})) ;;
            ok*) result 0 "$1: ${line#* - }"; seen=$((seen + 1)) ;;
            not\ ok*) result 1 "$1: ${line#* - }"; seen=$((seen + 1)) ;;
            *) echo "$line" ;;
        esac
    done < <("${@:2}" 2>&1)
    [[ $seen == "$planned" && $seen != 0 ]] || result 1 "$1: $seen of $planned tests ran"
}

# Ways to tell what the hidden data are.
part_leaks() { tap "hidden data are not told by" env DEVICE="$device" tests/leaks.sh "$build"; }

# Attacks against a judge that runs them in its own process: they must win.
part_naive() { tap "naive judge" env DEVICE="$device" JOBS=8 tests/attacks/naive/run.sh "$build"; }

# The steps of each problem's ladder gain on this GPU, too.
part_ladders() { tap ladders env DEVICE="$device" tests/ladders.sh "$build"; }

grade "$honest" "$scratch/first" || true # compiles what the judge needs itself
grade "$honest" "$scratch/usual" || true
holds "an honest grading is accepted, and has a time" 'all(.verdict == "Accepted" and .score_ms > 0)' "$scratch/usual"
for part in "${parts[@]}"; do "part_$part"; done
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
