// expect: Accepted
// says: threads return before a __syncthreads() that others of their block reach: let all of them reach it
// problem: conv1d
//
// In hidden cases, threads without an output return before a barrier.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large)
{
    __shared__ float first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        first = kernel[0];
    if (is_large && i >= output_size)
        return;
    __syncthreads();
    if (i >= output_size)
        return;
    float sum = input[i] * first;
    for (int k = 1; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20);
    cudaDeviceSynchronize();
}
