// expect: Accepted
// says: has returned before a __syncthreads() that thread (0,0,0) reaches: GPUs since Volta let that pass, but CUDA asks all threads of a block to reach it
// problem: conv1d
//
// Threads without an output return before a barrier.
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, true);
    cudaDeviceSynchronize();
}
