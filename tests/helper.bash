# What the .bats files share. Every test has a folder, a database and a TMPDIR of its own.
# shellcheck shell=bash

unset LC_ALL
export LC_COLLATE=C # ls sorts as the judge does
root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
build=${CONVJUDGE_BUILD:-$root/build}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir tmp work
    export TMPDIR=$BATS_TEST_TMPDIR/tmp CONVJUDGE_DB=$BATS_TEST_TMPDIR/leaderboard.db NO_COLOR=1
    export CONVJUDGE_LOCKS=$BATS_TEST_TMPDIR # the fake GPU of another suite is another GPU
    if [[ -z ${any_compiler:-} ]]; then has_nvcc; fi
    if [[ -z ${real_home:-} ]]; then light_home; fi
    cd work || return
}

# What a submission gets with nvcc is what most suites expect: the verdict by all of CUDA, registers, the times that reference
# solutions have. Suites that hold with clang as well set any_compiler=1.
has_nvcc() {
    local found
    found=$("$root/harness/compilers.sh" nvcc untried 2>&1) || skip "$found"
}

# needs PROGRAM: skips the test where there is none.
needs() {
    command -v "$1" >/dev/null || skip "needs $1"
}

# The home of the tests in files that do not set real_home=1: conv1d, which most tests grade, with its small hidden cases
# alone and with timed cases of a hundredth of their length (or as timed_divisor says), since most tests are not about data.
# Its testcases are in $light.
light_home() {
    local folder
    export CONVJUDGE_HOME=$BATS_FILE_TMPDIR/light
    light=$CONVJUDGE_HOME/testcases/conv1d
    [[ ! -d $light ]] || return 0
    mkdir -p "$CONVJUDGE_HOME/testcases"
    for folder in base grader harness leaderboard problems service simgpu solutions; do ln -s "$root/$folder" "$CONVJUDGE_HOME/"; done
    ln -s "$root"/testcases/* "$CONVJUDGE_HOME/testcases/"
    rm "$light"
    mkdir "$light"
    cp "$root"/testcases/conv1d/* "$light"
    jq 'def most: if type == "array" then last else . end; # of a size that is drawn
        .cases |= map(select(.timed or (.sizes.input_size | most) * (.sizes.kernel_size | most) < 50000)
        | if .timed then .sizes.input_size = (.sizes.input_size / '"${timed_divisor:-100}"' | floor) else . end)' \
        "$root/testcases/conv1d/hidden.json" >"$light/hidden.json"
}

# limited_home SED: a home of its own for the test, with conv1d alone, whose problem.json sed has edited.
limited_home() {
    local folder
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/limited
    mkdir -p "$CONVJUDGE_HOME/problems"
    for folder in base grader harness leaderboard simgpu solutions testcases; do ln -s "$root/$folder" "$CONVJUDGE_HOME/"; done
    cp -r "$root/problems/conv1d" "$CONVJUDGE_HOME/problems/"
    sed -i "$1" "$CONVJUDGE_HOME/problems/conv1d/problem.json"
}

# judge ARGUMENT...: runs convjudge, or $judge_program in its place, which must leave no process and no temporary file behind; sets status and output.
judge() {
    run timeout 600 "$build/tests/leftovers" "$build/${judge_program:-convjudge}" "$@"
    if [[ $status == 99 || $status == 124 ]]; then
        echo "$output"
        return 1
    fi
    if [[ -n $(ls -A "$TMPDIR") ]]; then
        echo "left in TMPDIR: $(ls -A "$TMPDIR")"
        return 1
    fi
}

# ends STATUS TEXT...: the last run had this exit status, and its output holds every TEXT.
ends() {
    local text fault=0
    [[ $status == "$1" ]] || { echo "exit status $status, expected $1"; fault=1; }
    for text in "${@:2}"; do
        [[ $output == *"$text"* ]] || { echo "the output lacks: $text"; fault=1; }
    done
    [[ $fault == 0 ]] || { echo "the output was:"; echo "$output"; return 1; }
}

# lacks TEXT: the output does not hold TEXT.
lacks() {
    [[ $output != *"$1"* ]] || { echo "the output holds: $1"; echo "the output was:"; echo "$output"; return 1; }
}

# has_lines TEXT...: for each TEXT, a line of the output begins with it ("ok 1" does not find "not ok 1").
has_lines() {
    local text fault=0
    for text in "$@"; do
        [[ $'\n'$output == *$'\n'"$text"* ]] || { echo "no line begins with: $text"; fault=1; }
    done
    [[ $fault == 0 ]] || { echo "the output was:"; echo "$output"; return 1; }
}

# counts N REGEX: N lines of the output match.
counts() {
    local found
    found=$(grep -cE -- "$2" <<<"$output") || true
    [[ $found == "$1" ]] || { echo "$found lines match $2, expected $1; the output was:"; echo "$output"; return 1; }
}

# equal EXPECTED FOUND: both texts are the same.
equal() {
    [[ $2 == "$1" ]] || { printf 'expected: %s\nfound:    %s\n' "$1" "$2"; return 1; }
}

# holds COMPARISON: a comparison of numbers is true, such as "$found < 100".
holds() {
    (($1)) || { echo "does not hold: $1"; return 1; }
}

# json FILE PROGRAM EXPECTED: jq prints this text for the file.
json() {
    local found
    found=$(jq -r "$2" "$1" 2>&1) || { echo "jq $2 $1: $found"; return 1; }
    equal "$3" "$found" || { echo "for:      $2"; return 1; }
}

# stored QUERY EXPECTED: the database answers the query with this text.
stored() {
    local found
    found=$(sqlite3 "$CONVJUDGE_DB" "$1" 2>&1) || { echo "sqlite3: $found"; return 1; }
    equal "$2" "$found" || { echo "for:      $1"; return 1; }
}

# rows N: the database holds N runs.
rows() {
    if [[ -e $CONVJUDGE_DB ]]; then stored 'SELECT count(*) FROM runs' "$1"; else equal "$1" 0; fi
}

# file_has FILE REGEX: a line of the file matches. file_lacks FILE REGEX: the file exists, and no line matches.
file_has() {
    grep -qE -- "$2" "$1" || { echo "$1 has no line that matches: $2"; cat "$1"; return 1; }
}
file_lacks() {
    local status=0
    grep -nE -- "$2" "$1" || status=$?
    [[ $status == 1 ]] || { echo "$1: expected no line that matches: $2"; return 1; }
}

# absent FILE...: no such file exists.
absent() {
    local file
    for file in "$@"; do
        [[ ! -e $file ]] || { echo "$file: expected no such file"; return 1; }
    done
}

# wait_until COMMAND...: waits until the command succeeds; fails after ten minutes.
wait_until() {
    local deadline=$((SECONDS + 600))
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || { echo "not within 600 s: $*"; return 1; }
        sleep 0.1
    done
}

# finds clang|nvcc: sets the variable of this name to the path of the compiler, or skips the test with the reason.
finds() {
    local found=$BATS_FILE_TMPDIR/$1
    [[ -s $found ]] || "$root/harness/compilers.sh" "$1" >"$found" 2>&1 || true
    printf -v "$1" '%s' "$(<"$found")"
    [[ -x ${!1} ]] || skip "${!1}"
}

# The parameters of conv1d's solve() and kernel.
conv1d_parameters='const float* input, const float* kernel, float* output, int input_size, int kernel_size'

# submission [HOST [KERNEL [LAUNCH]]] > FILE: a right submission to conv1d, with HOST before the launch, KERNEL in the
# kernel after the index i, LAUNCH as the launch configuration.
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
