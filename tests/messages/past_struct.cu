// expect: Run-Time Error
// says: past the end of a struct (parameter 5, 'taps')
// problem: conv1d
//
// An index leads past the end of an array in a struct that is passed by value, into the next parameter of the kernel.
#include <cuda_runtime.h>

struct Taps {
    float of[4];
};

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, const Taps taps,
                         int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += taps.of[output_size % 4 + 4] == -1;
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, Taps{}, kernel_size);
    cudaDeviceSynchronize();
}
