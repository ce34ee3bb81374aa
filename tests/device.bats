#!/usr/bin/env bats
# Devices: calibrating one, verdicts that differ between them, asking for one that does not exist.

bats_require_minimum_version 1.5.0
load helper

# A home of the judge with one problem and one reference solution, in which files may be written.
small_home() {
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME"/{simgpu,problems,testcases,leaderboard/references,solutions/conv1d/accepted}
    ln -s "$root/base" "$root/grader" "$root/harness" "$CONVJUDGE_HOME/"
    ln -s "$root/simgpu/profiles" "$CONVJUDGE_HOME/simgpu/"
    ln -s "$root/problems/conv1d" "$CONVJUDGE_HOME/problems/"
    ln -s "$light" "$CONVJUDGE_HOME/testcases/"
    cp "$root/solutions/conv1d/accepted/naive.cu" "$CONVJUDGE_HOME/solutions/conv1d/accepted/"
}

@test "calibrating the simulated GPU times the reference solutions, and measures nothing" {
    small_home
    judge calibrate --device sim
    ends 0 "a simulated GPU has its ceilings from its profile: only the reference solutions are timed" "naive.cu" "$CONVJUDGE_HOME/leaderboard/references/sim-h200.json"
    json "$CONVJUDGE_HOME/leaderboard/references/sim-h200.json" '.device, .problems[].problem, .problems[].references[].name' \
        $'sim-h200\nconv1d\nnaive.cu'
    absent "$CONVJUDGE_HOME/leaderboard/devices"
}

@test "a line \"on cuda\" does not count on the simulated GPU" {
    { echo '// expect: Wrong Answer'; echo '// on cuda: Accepted'; submission; } >x.cu
    judge check x.cu
    ends 1 "not ok 1 - x.cu" "expected Wrong Answer, got Accepted"
    { echo '// expect: Accepted, Wrong Answer'; submission; } >x.cu
    judge check --device sim --timed x.cu
    ends 0
    has_lines "ok 1 - x.cu"
}

@test "check names the line of an unknown verdict" {
    { echo '// A comment.'; echo '// expect: Accepted, Perfect'; submission; } >x.cu
    judge check x.cu
    ends 1 "not ok 1" "x.cu:2: unknown verdict 'Perfect'; expected one of: Accepted, Wrong Answer,"
}

@test "check names a file without a claim" {
    submission >x.cu
    judge check x.cu
    ends 1 "x.cu: names no verdict, expected a folder such as wrong_answer/ or a line \"// expect: VERDICT\""
}

@test "a driver that is too old is not used, and grading says so" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libolder_cuda.so.1
    submission >x.cu
    judge grade --no-record x.cu
    ends 0 "libolder_cuda.so.1 is a driver for CUDA 11.8; the judge needs one for CUDA 12.4 or later" "on NVIDIA H200 (simulated)"
    judge grade --no-record --device cuda x.cu
    ends 2 "is a driver for CUDA 11.8; the judge needs one for CUDA 12.4 or later; DEVICE=sim selects the simulated GPU"
}

# A fake GPU's number cannot be that of a real one, whose files a process is confined to.
only_fake_gpus() { [[ ! -e /proc/driver/nvidia/gpus ]] || skip "a real GPU is here"; }

@test "a GPU number that does not exist is refused" {
    only_fake_gpus
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_FAKE_CUDA_DEVICES=2
    submission >x.cu
    judge grade --no-record --device cuda:2 x.cu
    ends 2 "device 'cuda:2': there is no GPU number 2: the driver finds 2, numbered from 0; DEVICE=sim selects the simulated GPU"
}

@test "a grading waits for a GPU that another one uses, and says so" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_LOCKS=$PWD/locks
    local grade=("$build/convjudge" grade --no-record --no-second-opinion --device cuda x.cu) holder
    mkdir locks
    submission >x.cu
    run timeout 600 "${grade[@]}"
    lacks "queue "
    : >printed
    is_told() { grep -q "the GPU is in use by " printed; }
    export -f is_told wait_until
    flock locks/*.lock bash -c 'touch held; wait_until is_told' 3>&- &
    holder=$!
    wait_until test -e held
    run timeout 600 script -qefc "${grade[*]}" printed
    wait "$holder"
    ends 2 "the GPU is in use by " "the GPU is free"
}

@test "where there is no GPU, a grading begins with what takes its place" {
    submission >x.cu
    CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 judge grade --device auto --no-record x.cu
    ends 0 "device              simulated, with modelled times: there is no NVIDIA GPU here" "Accepted"
}

@test "test-gpu says in one line that there is no GPU" {
    export DEVICE=cuda:1023
    run "$root/tests/gpu.sh" "$build"
    ends 2 "test-gpu: " "cuda:1023"
    equal 1 "${#lines[@]}"
}

@test "several devices share the parts of test-gpu, whose results are added up" {
    DEVICE=sim,sim COUNT=1 run "$root/tests/gpu.sh" "$build" same repeat
    ends 0 "# same, on sim" "# repeat, on sim" "ok 2 - one honest file has the same verdict 1 times" "ok 2 - the same submission has the same time again"
    equal "4 passed, 0 failed" "${lines[-1]}"
}

@test "a file that does not compile leaves no oracle behind that was started on a real GPU meanwhile" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1
    judge grade --no-record --device cuda "$root/solutions/conv1d/compile_error/unknown_name.cu"
    ends 1 "on Fake GPU" "Compile Error"
}

# Devices that were opened, as the log of the fake driver tells. The oracle compiles first: whether it opens one
# before it is stopped is chance, so that there may be one more than $1.
opened() {
    local count
    count=$(grep -c '^cuDevicePrimaryCtxRetain' log)
    [[ $count == $(($1 + 1)) ]] || equal "$1" "$count"
}

@test "the devices of a sitting are opened while the compiler runs, and what fails then leaves none behind" {
    only_fake_gpus
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_FAKE_CUDA_LOG=$PWD/log CONVJUDGE_CACHE=$PWD/cache
    submission >x.cu # a fake GPU refuses it at the first load
    judge grade --no-record --no-second-opinion --device cuda --problem conv1d x.cu
    ends 2 "the driver cannot load the GPU code"
    opened 7 # samples, hidden cases, three blocks and two of the anchor
    : >log
    judge grade --no-record --no-second-opinion --device cuda --problem conv1d x.cu
    ends 2 "the driver cannot load the GPU code"
    opened 2 # samples, hidden cases
}

@test "the driver of a process that owns a GPU sees no other" {
    only_fake_gpus
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_FAKE_CUDA_LOG=$PWD/log CUDA_VISIBLE_DEVICES=1,0
    judge grade --no-record --device cuda:1 "$root/solutions/conv1d/compile_error/unknown_name.cu"
    ends 1 "on Fake GPU" "Compile Error"
    file_has log '^cuDeviceGet 0'
    file_lacks log '^cuDeviceGet 1'
}

@test "a process that had to look for a GPU is replaced by one that can reach this one alone" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_FAKE_CUDA_LOG=$PWD/log CONVJUDGE_CACHE=$PWD/cache
    local device
    { echo '// expect: Accepted'; echo '// problem: conv1d'; submission; } >x.cu # a fake GPU refuses it at the first load
    for device in cuda cuda auto; do # compiled the first time
        : >log
        judge check --device $device x.cu # without timed cases, and so without an oracle
        ends 1 "the driver cannot load the GPU code"
        grep -c '^cuInit' log >>started
    done
    equal 1 $(($(sed -n 3p started) - $(sed -n 2p started)))
}
