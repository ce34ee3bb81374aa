// expect: Time Limit Exceeded
// says: waits for ever at a grid.sync() that not all blocks reach
// problem: conv1d
// Blocks without outputs return before grid.sync(), where all others wait for them for ever.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void convolve(const float *input, const float *filter, float *output, int size, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * blockDim.x >= size)
        return;
    cooperative_groups::this_grid().sync();
    float sum = 0;
    for (int k = 0; k < taps && i < size; k++)
        sum += input[i + k] * filter[k];
    if (i < size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int size = input_size - kernel_size + 1;
    void *arguments[] = {&input, &kernel, &output, &size, &kernel_size};
    cudaLaunchCooperativeKernel((void *)convolve, dim3((size + 63) / 64 + 1), dim3(64), arguments, 0, nullptr);
    cudaDeviceSynchronize();
}
