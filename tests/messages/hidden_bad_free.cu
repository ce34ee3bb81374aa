// expect: Run-Time Error
// says: a kernel uses an invalid pointer to a function, texture, surface or tensor map, or frees memory that malloc() did not return
// problem: conv1d
//
// In a hidden case, a kernel frees an array that its malloc() has not given.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (is_large && i == 0)
        free(output + 1);
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20);
    cudaDeviceSynchronize();
}
