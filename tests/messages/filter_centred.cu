// expect: Wrong Answer
// says: every element: moved by half the filter: should it be centred on the output, or begin there?
// problem: conv1d
//
// The filter is centred on the output, where the statement has it begin there.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        if (i + k >= kernel_size / 2)
            sum += input[i + k - kernel_size / 2] * kernel[k];
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
