// Mistake: limits the grid to 65,535 blocks of 16 threads, so outputs beyond 1,048,560 are never written.
// says: only the last elements: never written
// problem: conv1d
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
    int blocks = (output_size + 15) / 16;
    convolve<<<blocks < 65535 ? blocks : 65535, 16>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
