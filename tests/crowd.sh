#!/usr/bin/env bash
# The same verdict whatever the load: twelve gradings with given data at once, on two cores and beside 24 processes that compute
# all the while. Each must end as it does alone: the same verdict in the same words, and the same modelled times and counters
# to the last bit. Four more record their runs in one store meanwhile. Nothing is left. Prints TAP.
# Usage: tests/crowd.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
busy=()
trap 'kill "${busy[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1
mkdir "$TMPDIR" "$scratch/home" "$scratch/alone" "$scratch/crowd"
# shellcheck source=/dev/null
source tests/fewer_cases.sh
home_with_fewer_cases "$scratch/home" small
export CONVJUDGE_HOME=$scratch/home

# Limits that are soon reached, by what reaches them on any machine; and one reference solution, since each is timed once.
rm "$CONVJUDGE_HOME/problems" "$CONVJUDGE_HOME/solutions"
mkdir -p "$CONVJUDGE_HOME/problems" "$CONVJUDGE_HOME/solutions/conv1d/accepted"
cp -r problems/conv1d "$CONVJUDGE_HOME/problems/"
cp solutions/conv1d/accepted/naive.cu "$CONVJUDGE_HOME/solutions/conv1d/accepted/"
sed -i 's/"host_seconds": [0-9]*/"host_seconds": 1/; s/"sim_warp_instructions": [0-9]*/"sim_warp_instructions": 20000000, "grading_device_seconds": 4/' \
    "$CONVJUDGE_HOME/problems/conv1d/problem.json"

submission() { # HOST [GLOBAL] > FILE: a right submission with HOST before the launch, and GLOBAL before all else
    cat <<END
// problem: conv1d
#include <cuda_runtime.h>
#include <mutex>
#include <thread>
#include <vector>
#include <unistd.h>
${2-}
__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    $1
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
END
}
submission 'for (int i = 0; i < 300; i++) { float* p; cudaMalloc(&p, 4096); cudaMemcpy(p, input, 4, cudaMemcpyDefault); cudaFree(p); }' \
    >"$scratch/many_calls.cu"
submission 'std::vector<float> taps(kernel_size); cudaMemcpy(taps.data(), kernel, 4 * kernel_size, cudaMemcpyDeviceToHost);
    std::thread idle([] { usleep(1000); }); idle.join();' >"$scratch/reads_back.cu"
submission 'std::mutex lock; lock.lock(); lock.lock();' >"$scratch/host_deadlock.cu"
submission 'sleep(1000);' >"$scratch/host_sleeps.cu"
submission '' 'static struct Early { Early() { for (volatile int i = 0;; i++) {} } } early;' >"$scratch/constructor_computes.cu"

host='the host code kept the device waiting for more than 1 s'
cases=( # file | exit status | verdict | what the text holds
    'solutions/conv1d/accepted/naive.cu|0|Accepted|'
    'solutions/conv1d/accepted/shared_tile.cu|0|Accepted|'
    'solutions/conv1d/accepted/vector_loads.cu|0|Accepted|'
    "$scratch/many_calls.cu|0|Accepted|"
    "$scratch/reads_back.cu|0|Accepted|"
    'solutions/conv1d/wrong_answer/flipped_filter.cu|1|Wrong Answer|'
    'solutions/conv1d/time_limit_exceeded/infinite_kernel.cu|1|Time Limit Exceeded|waits for ever for another value at'
    "solutions/conv1d/time_limit_exceeded/infinite_host_loop.patch|1|Time Limit Exceeded|$host"
    "$scratch/host_deadlock.cu|1|Time Limit Exceeded|$host"
    "$scratch/host_sleeps.cu|1|Time Limit Exceeded|$host"
    "tests/attacks/constructor_waits.cu|1|Time Limit Exceeded|a constructor, before solve(): $host"
    "$scratch/constructor_computes.cu|1|Time Limit Exceeded|a constructor, before solve(): $host"
)
recorded=(accepted/register_tile.cu wrong_answer/last_output_missing.patch run_time_error/null_pointer.cu compile_error/syntax_error.cu)

# judge NAME FILE OPTION...: its exit status, and then whether anything is left, go to NAME.status.
judge() {
    local status=0
    timeout 600 "$build/tests/leftovers" "$build/convjudge" grade --problem conv1d --device sim --json "$1.json" "${@:3}" "$2" \
        >"$1.log" 2>&1 || status=$?
    echo "$status" >"$1.status"
}

with_data() { # FOLDER NUMBER: beside a store of its own, in which nothing changes
    CONVJUDGE_DB=$scratch/empty.db judge "$scratch/$1/$2" "${cases[$2]%%|*}" --seed "$(printf '%064x' $((1000 + $2)))"
}

# What must not depend on the load: everything but when and for how long something took on this machine.
lasting() {
    jq -S 'del(.time_utc, .seconds, .compile.seconds, .compile.cached)' "$1"
}

what_is_wrong() { # NUMBER
    local status verdict text alone=$scratch/alone/$1 crowd=$scratch/crowd/$1
    IFS='|' read -r _ status verdict text <<<"${cases[$1]}"
    [[ $(<"$crowd.status") == "$status" ]] || echo "exit status $(<"$crowd.status")"
    [[ $(jq -r .verdict "$crowd.json") == "$verdict" ]] || echo "not $verdict: $(jq -c '.verdict, .text' "$crowd.json")"
    [[ $(jq -r .text "$crowd.json") == *"$text"* ]] || echo "the text lacks '$text': $(jq -c .text "$crowd.json")"
    diff <(lasting "$alone.json") <(lasting "$crowd.json") || echo "not as alone"
}

what_is_wrong_with_recorded() { # NUMBER
    local file=${recorded[$1]} rows
    rows=$(sqlite3 "$CONVJUDGE_DB" "SELECT count(*) FROM runs WHERE person = 'student$1'")
    [[ $rows == 1 ]] || echo "recorded $rows times"
    [[ $file != accepted/* || $(<"$scratch/recorded$1.status") == 0 ]] || echo "exit status $(<"$scratch/recorded$1.status")"
}

say() { # NUMBER NAME WHAT_IS_WRONG LOG
    if [[ -n $3 ]]; then failed=1 && echo -n 'not '; fi
    echo "ok $1 - $2"
    if [[ -n $3 ]]; then printf '# %s\n' "${3//$'\n'/$'\n'# }" && sed 's/^/# /' "$4"; fi
}

two_cores() { # the numbers of the first two cores that this process may use
    taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done |
        head -n 2 | paste -sd,
}
taskset -cp "$(two_cores)" $$ >/dev/null

for number in "${!cases[@]}"; do with_data alone "$number"; done
for _ in {1..24}; do
    while :; do :; done &
    busy+=($!)
done
gradings=()
for number in "${!cases[@]}"; do with_data crowd "$number" & gradings+=($!); done
for number in "${!recorded[@]}"; do
    judge "$scratch/recorded$number" "solutions/conv1d/${recorded[number]}" --as "student$number" & gradings+=($!)
done
wait "${gradings[@]}"
kill "${busy[@]}"

failed=0
echo "1..$((${#cases[@]} + ${#recorded[@]} + 1))"
for number in "${!cases[@]}"; do
    file=${cases[number]%%|*}
    say $((number + 1)) "$(basename "$file") in a crowd as alone" "$(what_is_wrong "$number" 2>&1)" "$scratch/crowd/$number.log"
done
for number in "${!recorded[@]}"; do
    say $((${#cases[@]} + number + 1)) "${recorded[number]} in a crowd is recorded" "$(what_is_wrong_with_recorded "$number" 2>&1)" \
        "$scratch/recorded$number.log"
done
left=$(ls -A "$TMPDIR")
[[ $(sqlite3 "$CONVJUDGE_DB" 'PRAGMA integrity_check') == ok ]] || left+=' the store is damaged'
say $((${#cases[@]} + ${#recorded[@]} + 1)) 'they leave no file, and the store is sound' "$left" /dev/null
exit $failed
