// expect: Time Limit Exceeded
// says: waits for ever for another value at offset 0 of variable 'is_done' of 4 bytes, which nothing that runs changes; other blocks have not begun, and may not before this one ends
// problem: conv1d
//
// The first block waits for a flag that the last one sets.
#include <cuda_runtime.h>

__device__ volatile int is_done;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        is_done = 0;
    while (blockIdx.x == 0 && gridDim.x > 1 && is_done == 0)
        continue;
    float sum = 0;
    for (int k = 0; k < kernel_size && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        output[i] = sum;
    while (blockIdx.x < gridDim.x - 1 && is_done == 0)
        continue;
    is_done = 1;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<40 + (output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
