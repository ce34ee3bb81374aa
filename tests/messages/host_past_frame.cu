// expect: Run-Time Error
// says: host code wrote beyond the end of an array, or freed memory that it had not allocated
// problem: conv1d
//
// In a sample case, host code writes a text to an array that is too short for it.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    char title[8];
    sprintf(title, "a convolution of %d elements with a filter of %d taps has %d elements, each a sum of %d products",
            input_size, kernel_size, output_size, kernel_size);
    puts(title);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
