// Mistake: one thread loads one tap of the filter, so those beyond the block of 1024 threads stay zero.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float s_kernel[2048];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s_kernel[threadIdx.x] = threadIdx.x < kernel_size ? kernel[threadIdx.x] : 0.0f;
    s_kernel[threadIdx.x + 1024] = 0.0f;
    __syncthreads();
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * s_kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 1023) / 1024, 1024>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
