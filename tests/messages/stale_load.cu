// expect: Run-Time Error
// says: through the read-only cache (__ldg(), or a const __restrict__ pointer), while block (0,0,0) writes there in the same launch: the cache may hold an old value
// problem: conv1d
//
// All blocks write the products with the first half of the taps, wait for each other, and read them by __ldg().
#include <cuda_runtime.h>
#include <cooperative_groups.h>

__global__ void convolve(const float* input, const float* kernel, float* half, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kernel_size / 2 && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        half[output_size - 1 - i] = sum;
    cooperative_groups::this_grid().sync();
    sum = i < output_size ? __ldg(half + output_size - 1 - i) : 0;
    for (int k = kernel_size / 2; k < kernel_size && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float* half;
    cudaMalloc(&half, output_size * sizeof *half);
    void* arguments[] = {&input, &kernel, &half, &output, &output_size, &kernel_size};
    cudaLaunchCooperativeKernel((void*)convolve, dim3((output_size + 255) / 256), dim3(256), arguments, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(half);
}
