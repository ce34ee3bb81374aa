// Mistake: the kernel for filters of up to eight taps goes over seven of them.
// problem: conv1d
#include <cuda_runtime.h>

#define NARROW 8

__global__ void convolve_narrow(const float* input, const float* kernel, float* output, int output_size,
                                int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < NARROW - 1; k++)
        if (k < kernel_size)
            sum += input[i + k] * kernel[k];
    output[i] = sum;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + 255) / 256;
    if (kernel_size <= NARROW)
        convolve_narrow<<<blocks, 256>>>(input, kernel, output, output_size, kernel_size);
    else
        convolve<<<blocks, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
