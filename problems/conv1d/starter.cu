// problem: conv1d
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. All three pointers are device pointers.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    // TODO: add input[i + k] * kernel[k] to the sum, for every k from 0 to kernel_size - 1
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int threads = 256;
    int blocks = (output_size + threads - 1) / threads;

    convolve<<<blocks, threads>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
