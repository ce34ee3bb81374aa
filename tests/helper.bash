# What the .bats files share. Every test has a private folder, database and place for temporary files.
# shellcheck shell=bash

root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
build=${CONVJUDGE_BUILD:-$root/build}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir tmp work
    export TMPDIR=$BATS_TEST_TMPDIR/tmp CONVJUDGE_DB=$BATS_TEST_TMPDIR/leaderboard.db NO_COLOR=1
    cd work || return
}

# judge ARGUMENT...: convjudge, which must leave no process and no temporary file behind.
judge() {
    run timeout 120 "$build/tests/leftovers" "$build/convjudge" "$@"
    if [[ $status == 99 || $status == 124 ]]; then
        echo "$output"
        return 1
    fi
    if [[ -n $(ls -A "$TMPDIR") ]]; then
        echo "left in TMPDIR: $(ls -A "$TMPDIR")"
        return 1
    fi
}

# ends STATUS TEXT...: the run ended so, and its output holds every TEXT.
ends() {
    local text fault=0
    [[ $status == "$1" ]] || { echo "exit status $status, expected $1"; fault=1; }
    for text in "${@:2}"; do
        [[ $output == *"$text"* ]] || { echo "the output lacks: $text"; fault=1; }
    done
    [[ $fault == 0 ]] || { echo "the output was:"; echo "$output"; return 1; }
}

lacks() {
    [[ $output != *"$1"* ]] || { echo "the output holds: $1"; return 1; }
}

# rows N: so many runs stand in the database.
rows() {
    local found=0
    [[ ! -e $CONVJUDGE_DB ]] || found=$(sqlite3 "$CONVJUDGE_DB" 'SELECT count(*) FROM runs')
    [[ $found == "$1" ]] || { echo "$found rows in the database, expected $1"; return 1; }
}

# The signature and a right answer, for submissions that are made on the spot.
conv1d_parameters='const float* input, const float* kernel, float* output, int input_size, int kernel_size'

# submission [HOST [KERNEL [LAUNCH]]] > FILE: conv1d with code put into the host function before the launch, into the
# kernel's beginning, or instead of the launch configuration.
submission() {
    cat <<EOF
// problem: conv1d
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__global__ void convolve($conv1d_parameters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ${2-}
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}
extern "C" void solve($conv1d_parameters)
{
    ${1-}
    convolve<<<${3-(input_size + 255) / 256, 256}>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
EOF
}
