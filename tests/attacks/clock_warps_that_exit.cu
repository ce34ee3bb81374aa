// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// Where warps exit at once, the number of blocks on a multiprocessor is no whole number. A clock that divides the work by
// 6.98 blocks and then adds up the work of 6 of them loses the rest. It must not be faster than without the warps (HONEST).
#include <cuda_runtime.h>

constexpr int WORKING = 256;

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    int i = blockIdx.x * WORKING + threadIdx.x;
    if (threadIdx.x >= WORKING || i >= outputs)
        return;
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
#ifdef HONEST
    int threads = WORKING;
#else
    int threads = 2 * WORKING;
#endif
    convolve<<<(outputs + WORKING - 1) / WORKING, threads>>>(input, kernel, output, outputs, kernel_size);
}
