// Blocks of a single warp, one output for each thread, with __restrict__ pointers.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int outputs, int taps)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= outputs)
        return;
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum = fmaf(input[i + k], kernel[k], sum);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + 31) / 32, 32>>>(input, kernel, output, outputs, kernel_size);
}
