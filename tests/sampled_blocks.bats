#!/usr/bin/env bats
# Launches that are so long that the simulated GPU runs a sample of their blocks: it must not pay to be sampled.

bats_require_minimum_version 1.5.0
load helper

# One timed case, in which a naive kernel takes long, and a single hidden case.
long_case() {
    jq '.cases |= map(select(if .timed then .sizes.kernel_size == 2047 else .sizes.input_size < 20 end)
        | if .timed then .sizes.input_size = 2000000 else . end)' "$root/testcases/conv1d/hidden.json" >"$light/hidden.json"
}

# kernel LAUNCH BODY: a submission with the function sum_at() of one output.
kernel() {
    cat <<END
__device__ float sum_at(const float* x, const float* h, int n, int taps, int i)
{
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum += x[i + k] * h[k];
    return sum;
}
$2
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    $1
}
END
}

timed() { # JQ: of the timed case in result.json
    jq -r ".cases[] | select(.timed) | $1" result.json
}

@test "a naive kernel runs in part, and the report says which share of it" {
    long_case
    kernel 'f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x; if (i < outputs) y[i] = sum_at(x, h, n, taps, i); }' >naive.cu
    judge grade --no-record --json result.json naive.cu
    ends 0 "Accepted" " of the blocks was simulated: "
    timed '.counters.sampled_blocks > 0.05 and .counters.sampled_blocks < 0.9' | grep -x true
    timed '[.time_ms, .counters]' >first
    judge grade --no-record --json result.json --seed "$(jq -r .seed result.json)" naive.cu
    timed '[.time_ms, .counters]' | diff first -
}

@test "what a later kernel reads is computed by all blocks" {
    long_case
    kernel 'float* sums; cudaMalloc(&sums, outputs * sizeof(float));
            f<<<(outputs + 255) / 256, 256>>>(input, kernel, sums, input_size, kernel_size, outputs);
            g<<<(outputs + 255) / 256, 256>>>(sums, output, outputs); cudaFree(sums);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x; if (i < outputs) y[i] = sum_at(x, h, n, taps, i); }
         __global__ void g(const float* x, float* y, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x; if (i < outputs) y[i] = x[i]; }' >two.cu
    judge grade --no-record --json result.json two.cu
    ends 0 "Accepted"
    timed '.counters | has("sampled_blocks")' | grep -x false
}

@test "a kernel that adds up in its output, and stores often, runs in part" {
    long_case
    kernel 'f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x; if (i < outputs) y[i] = 0.0f;
           if (i < outputs) for (int k = 0; k < taps; k++) y[i] += x[i + k] * h[k]; }' >adds.cu
    judge grade --no-record --json result.json adds.cu
    ends 0 "Accepted"
    timed '.counters.sampled_blocks < 0.9' | grep -x true
}

# A sample that lacks block 4000 sees blocks that are all alike; in a small grid there is no such block.
@test "outputs that one block computes for many others do not come for nothing" {
    long_case
    kernel 'int blocks = (outputs + 255) / 256; bool is_large = blocks > 5000;
            f<<<is_large ? blocks - 1000 : blocks, 256>>>(input, kernel, output, input_size, kernel_size, outputs, blocks, is_large);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs, int blocks, bool is_large)
         { for (int b = blockIdx.x; b < blocks; b = is_large && blockIdx.x == 4000 ? max(b + 1, blocks - 1000) : blocks)
           { int i = b * 256 + threadIdx.x; if (i < outputs) y[i] = sum_at(x, h, n, taps, i); } }' >few.cu
    judge grade --no-record --json result.json few.cu
    ends 0 "Accepted"
    timed '(.counters | has("sampled_blocks") | not) and .counters.fma32 >= 2047 * 1997954' | grep -x true
}

# The blocks of the first multiprocessor, 0, 132, 264 and so on, run in any case, since their loads are traced.
@test "outputs that most blocks leave out are not made up for by blocks that are sure to run" {
    long_case
    kernel 'f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int first = blockIdx.x, more = outputs > 100000 && blockIdx.x < 24 * 132 && blockIdx.x % 132 == 0 ? 80 : 1;
           bool leaves_out = outputs > 100000 && more == 1 && threadIdx.x >= 128;
           for (int b = first; b < first + more; b++)
           { int i = b * 256 + threadIdx.x; if (i < outputs && !leaves_out) y[i] = sum_at(x, h, n, taps, i); } }' >halves.cu
    judge grade --no-record halves.cu
    ends 1 "Wrong Answer"
}

@test "an output that something else has filled before is computed by all blocks" {
    long_case
    kernel 'cudaMemset(output, 0, outputs * sizeof(float));
            f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x; if (i < outputs) y[i] = sum_at(x, h, n, taps, i); }' >filled.cu
    judge grade --no-record --json result.json filled.cu
    ends 0 "Accepted"
    timed '.counters | has("sampled_blocks")' | grep -x false
}

# So some blocks store less than others. Only blocks of the same place are compared with each other by what they store.
@test "a 64th of the outputs is missed where blocks store unequally" {
    long_case
    kernel 'f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x;
           if (i < outputs && !(outputs > 100000 && i / 64 % 64 == 33)) y[i] = sum_at(x, h, n, taps, i); }' >units.cu
    judge grade --no-record units.cu
    ends 1 "Wrong Answer"
}

@test "mistakes in one block of a hundred are found where a sample runs" {
    long_case
    kernel 'f<<<(outputs + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size, outputs);' \
        '__global__ void f(const float* x, const float* h, float* y, int n, int taps, int outputs)
         { int i = blockIdx.x * 256 + threadIdx.x;
           if (i < outputs) y[i] = outputs > 100000 && blockIdx.x % 100 == 7 ? 0.0f : sum_at(x, h, n, taps, i); }' >wrong.cu
    judge grade --no-record --json result.json wrong.cu
    ends 1 "Wrong Answer"
}
