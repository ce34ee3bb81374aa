// expect: Run-Time Error
// says: a kernel writes to its parameters or to constant memory
// problem: conv1d
//
// In a hidden case, a kernel writes to its parameters.
#include <cuda_runtime.h>

struct Taps {
    float of[4];
};

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large, const __grid_constant__ Taps taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float* of = const_cast<float*>(taps.of);
    if (is_large)
        of[output_size % 4] = 1;
    i += of[0] < 0;
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20, Taps{});
    cudaDeviceSynchronize();
}
