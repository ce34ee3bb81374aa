#!/usr/bin/env bats
# The second opinion of the simulated GPU. One model of simulated GPU stands in for a real GPU here, and another one gives
# the opinion; the submissions make mistakes on one of them alone.

bats_require_minimum_version 1.5.0
load helper

# differing HERE SECOND [FILTER]: a submission for conv1d that runs the statements HERE where the stand-in for the real GPU
# runs it and SECOND where the other one does, in calls with as many elements as FILTER says. The last parameter of its
# kernel says which mistake the kernel makes:
#     1: reads far outside   2: reads what nobody wrote   3: wrong by one
# `registers` is how many registers the kernel `plain` has, which depends on ptxas's optimisation.
differing() {
    cat <<EOF
// problem: conv1d
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>
__global__ void plain($conv1d_parameters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}
__global__ void convolve($conv1d_parameters, const float* scratch, int mistake)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    if (mistake == 1)
        sum += 1e-30f * input[input_size + (1 << 20)];
    if (mistake == 2)
        sum += scratch[i];
    if (mistake == 3)
        sum += 1;
    output[i] = sum;
}
extern "C" void solve($conv1d_parameters)
{
    cudaDeviceProp properties;
    float* scratch = nullptr;
    int mistake = 0;
    cudaGetDeviceProperties(&properties, 0);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, plain);
    const int registers = attributes.numRegs;
    cudaMalloc(&scratch, input_size * sizeof(float));
    if (${3-true}) {
        if (properties.multiProcessorCount == 108) {
            $1
        } else {
            $2
        }
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, scratch, mistake);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
EOF
}

# The samples of conv1d are small; one of the hidden cases is not.
hidden='input_size > 100'

# seconded COMMAND... FILE: runs it with a second opinion, for which it waits long: the stand-in compiles for another
# architecture.
seconded() {
    local judge_program=${judge_program:-convjudge-patient}
    export CONVJUDGE_SECOND_OPINION=sim:h200
    rm -f result.json
    judge "${@:1:1}" --device sim:a100 --json result.json "${@:2}"
}

# second [OPTION]... FILE: grades it. second_try: the same with the samples alone, which takes less time.
second() { seconded grade --no-record "$@"; }
second_try() { seconded try "$@"; }

@test "a read outside that the device does not show is told by the second opinion" {
    differing '' 'mistake = 1;' >x.cu
    second x.cu
    ends 0 "Accepted  x.cu" "second opinion: Run-Time Error on NVIDIA H200 (simulated), in the example of the statement: " \
        "reads 4 bytes at input[" "why they may differ: this is undefined behaviour" "timed case"
    json result.json '.verdict, (.second_opinion | .verdict, .agrees, .reason, .case, .device_name)' \
        $'Accepted\nRun-Time Error\nfalse\nundefined behaviour\nthe example of the statement\nNVIDIA H200 (simulated)'
}

@test "so is a read of what nothing has written" {
    differing '' 'mistake = 2;' >x.cu
    second_try x.cu
    ends 0 "Accepted  x.cu" "second opinion: Wrong Answer" "this is undefined behaviour"
}

@test "opinions that agree are not worth a line in the report" {
    differing '' '' >x.cu
    second_try x.cu
    ends 0 "Accepted  x.cu"
    lacks "second opinion: "
    json result.json .second_opinion $'{\n  "device_name": "NVIDIA H200 (simulated)",\n  "verdict": "Accepted",\n  "agrees": true\n}'
    differing 'mistake = 3;' 'mistake = 3;' >x.cu
    second_try x.cu
    ends 1 "Wrong Answer  x.cu"
    lacks "second opinion: "
    json result.json '.second_opinion | .verdict, .agrees' $'Wrong Answer\ntrue'
}

@test "of a hidden case the second opinion tells the kind of mistake and the line, and no number" {
    differing '' 'mistake = 1;' "$hidden" >x.cu
    second x.cu
    ends 0 "Accepted  x.cu" "in hidden " "a kernel reads past the end of array 'input' (x.cu:"
    json result.json .second_opinion.text "a kernel reads past the end of array 'input' (x.cu:24: \`sum += 1e-30f * input[input_size + (1 << 20)];\`)"
    json result.json '.second_opinion.case | startswith("hidden ")' true
}

@test "where both fail in hidden cases, one finding is told in all" {
    differing 'mistake = 3;' 'mistake = 1;' "$hidden" >x.cu
    second x.cu
    ends 1 "Wrong Answer  x.cu" "second opinion: Run-Time Error on NVIDIA H200 (simulated), in a hidden case: a kernel reads past the end of array 'input'"
    differing 'mistake = 1;' 'mistake = 3;' "$hidden" >x.cu
    second x.cu
    ends 1 "Run-Time Error  x.cu"
    json result.json '.second_opinion | .verdict, .case, has("text"), .reason' $'Wrong Answer\na hidden case\nfalse\nunexplained'
}

@test "a wrong result that the second opinion does not confirm is run again, and without ptxas's optimisation" {
    differing 'mistake = 3;' '' >x.cu
    second_try x.cu
    ends 1 "run again           not accepted" "with ptxas -O0      not accepted" "second opinion: Accepted" "is not accepted on this GPU either"
    [[ $output == *"verdict             Wrong Answer"*"run again"* ]] # it is told before the devices are given back
    json result.json .second_opinion.reason "not ptxas"
    local registers
    registers=$(jq '.compile.kernels[] | select(.name | contains("plain")) | .registers' result.json)
    differing "mistake = registers == $registers ? 3 : 0;" '' >x.cu
    second_try x.cu
    ends 1 "run again           not accepted" "with ptxas -O0      Accepted" "So ptxas's optimisation changes the result"
    json result.json '.verdict, .second_opinion.reason' $'Wrong Answer\nptxas'
}

@test "limits of the simulated GPU are no opinion" {
    differing '' 'for (;;) ;' >x.cu
    sed -i 's/for (;;) ;/for (volatile int i = 0;; i++) ;/' x.cu
    second_try x.cu
    ends 0 "second opinion      none: it reaches a limit of the simulated GPU"
    lacks "second opinion: "
    json result.json '.second_opinion | .none, has("verdict")' $'it reaches a limit of the simulated GPU, of instructions or of time\nfalse'
    differing '' 'cudaIpcGetMemHandle(nullptr, nullptr); mistake = 3;' >x.cu
    second_try x.cu
    json result.json '.second_opinion.none | contains("it does not provide cudaIpcGetMemHandle")' true
}

@test "an opinion that takes too long is given up, and nothing is left of it" {
    differing '' 'sleep(4);' >x.cu
    judge_program=convjudge second x.cu
    ends 0 "second opinion      none: it was not ready in time"
    json result.json '.second_opinion.none' "it was not ready in time"
    json result.json '.seconds.hidden | log2 | . == floor' true
}

@test "no opinion is asked for with --no-second-opinion, nor for a simulated GPU by itself" {
    differing '' 'mistake = 1;' >x.cu
    second_try --no-second-opinion x.cu
    ends 0 "Accepted  x.cu"
    lacks "second opinion"
    json result.json 'has("second_opinion")' false
    unset CONVJUDGE_SECOND_OPINION
    judge try --device sim --json result.json "$root/solutions/conv1d/accepted/naive.cu"
    lacks "second opinion"
    json result.json 'has("second_opinion")' false
}

@test "a file that does not compile needs no opinion" {
    differing '' 'syntax' >x.cu
    second_try x.cu
    ends 1 "Compile Error"
    json result.json 'has("second_opinion")' false
}

@test "try gives a second opinion on a case of one's own" {
    differing '' 'mistake = 1;' "$hidden" >x.cu
    seconded try --sizes input_size=1000,kernel_size=5 x.cu
    ends 0 "second opinion: Run-Time Error" "input[1049576], past its last element input[999]"
    seconded try --no-second-opinion --sizes input_size=1000,kernel_size=5 x.cu
    ends 0
    lacks "second opinion"
}

@test "a real GPU gets a second opinion without being asked" {
    local judge_program=convjudge-patient
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1
    judge grade --no-record --device cuda --json result.json "$root/solutions/conv1d/accepted/naive.cu"
    ends 2 "on Fake GPU" "second opinion: Accepted on NVIDIA H200 (simulated)" "the judge cannot run this file on both"
    judge grade --no-record --no-second-opinion --device cuda "$root/solutions/conv1d/accepted/naive.cu"
    ends 2 "on Fake GPU"
    lacks "second opinion"
}

@test "an unknown device for the second opinion is the judge's fault, and no verdict" {
    differing '' '' >x.cu
    export CONVJUDGE_SECOND_OPINION=sim:nothing
    judge try --device sim:a100 x.cu
    ends 0 "second opinion      none: the judge failed: device 'sim:nothing': unknown profile"
}

@test "the files that a real GPU judges otherwise get their verdicts from the simulated one" {
    # shellcheck source=/dev/null
    source "$root/tests/fewer_cases.sh"
    mkdir home
    (cd "$root" && home_with_fewer_cases "$BATS_TEST_TMPDIR/work/home" small)
    CONVJUDGE_HOME=$PWD/home judge check "$root"/tests/second_opinion/*.cu
    ends 0
    counts 4 '^ok '
}
