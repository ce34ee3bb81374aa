// expect: Accepted
// problem: conv1d
// One thread computes one output, and every multiply-add loads its input and its tap. Model:
// solutions/conv1d/accepted/naive.cu
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
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
