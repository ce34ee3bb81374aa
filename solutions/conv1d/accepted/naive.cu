// problem: conv1d
//
// naive: one thread computes one output element, straight from global memory.
// Neighbouring threads read neighbouring elements, so every load is coalesced and nearly always hits the L1 cache.
// Intensity: 2 operations for two loads of 4 bytes, 1/4 operation per byte for every filter: load units are the limit.
#include <cuda_runtime.h>

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
    int threads = 256;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
