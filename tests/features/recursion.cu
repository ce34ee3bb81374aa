// problem: conv1d
// expect: Accepted
//
// A recursive function adds up pairs: the sum of a filter is that of its first half and that of its second half. That is
// more accurate than one long sum. Halves of up to 32 taps are added one by one.
#include <cuda_runtime.h>

__device__ float dot(const float* input, const float* kernel, int count)
{
    if (count > 32) {
        int half = count / 2;
        return dot(input, kernel, half) + dot(input + half, kernel + half, count - half);
    }
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += input[k] * kernel[k];
    return sum;
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
