// expect: Run-Time Error
// says: of the kernel's 48 bytes of parameters, past their end
// problem: conv1d
//
// An index leads past the end of an array among the parameters of a kernel.
#include <cuda_runtime.h>

struct Taps {
    float of[4];
};

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, const __grid_constant__ Taps taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += taps.of[output_size % 4 + 4] < 0;
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, Taps{});
    cudaDeviceSynchronize();
}
