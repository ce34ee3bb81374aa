// expect: Wrong Answer
// problem: conv1d
// naive: accepted wrong
// Rounds input and filter to the 10 bits of TF32 before it multiplies, as tensor cores do: passes where a tolerance is
// made for sums of positive numbers.
#include <cuda_runtime.h>

__device__ float rounded(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xFFFFE000u);
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += rounded(input[i + k]) * rounded(kernel[k]);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
