// expect: Accepted
// problem: conv1d
// naive: does not apply: nothing is gained by the table itself; the naive judge has a warm-up call that nobody times, too
// Works for later calls in the first call of its process, which is a warm-up call on a real GPU: for about a second a kernel
// makes a table, as a search for the next calls' inputs would. The verdict is Accepted. If the attack works, its time is that
// of the other calls; the judge must spread the work over the timed calls (tests/grade.bats, tests/gpu.sh).
#include <cuda_runtime.h>

static const int STEPS = 1 << 22;

__device__ unsigned table[1024];

// Each load waits for the one before it: half a microsecond on an H200.
__global__ void make_table()
{
    volatile unsigned* chain = table;
    unsigned at = 0;
    for (int i = 0; i < STEPS; i++)
        at = (chain[at] + i) % 1024;
    table[at] = 0;
}

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
    static bool is_made = false;
    if (!is_made)
        make_table<<<1, 1>>>();
    is_made = true;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
