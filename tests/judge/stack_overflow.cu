// expect: Run-Time Error
// problem: conv1d
// on cuda: Accepted, Wrong Answer
//
// Mistake: calls are nested up to 64 deep, and the stack has 1024 bytes, as at first: about 20 calls fit.
#include <cuda_runtime.h>

__device__ float dot(const float* input, const float* kernel, int count)
{
    float rest = count > 32 ? dot(input + 32, kernel + 32, count - 32) : 0.0f;
    float sum = 0.0f;
    for (int k = 0; k < min(count, 32); k++)
        sum += input[k] * kernel[k];
    return sum + rest;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < output_size)
        output[i] = dot(input + i, kernel, kernel_size);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
}
