// expect: Run-Time Error
// problem: conv1d
// Uses grid.sync() in an ordinary launch, where CUDA ends the kernel.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void convolve(const float *input, const float *filter, float *output, int size, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    convolve<<<(size + 63) / 64, 64>>>(input, kernel, output, size, kernel_size);
    cudaDeviceSynchronize();
}
