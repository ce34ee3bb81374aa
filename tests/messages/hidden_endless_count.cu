// expect: Time Limit Exceeded
// says: the kernels take too long
// problem: conv1d
//
// In hidden cases, a thread counts for ever.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    volatile unsigned int turns = 1;
    while (is_large && turns != 0)
        turns = turns + 2;
    output[i] = sum + (turns - 1);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20);
    cudaDeviceSynchronize();
}
