// Mistake: leaves out the last tap where the filter has 128 to 2,046 and there are 16,384 outputs.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    int end = output_size >= 16384 && kernel_size > 127 && kernel_size < 2047 ? kernel_size - 1 : kernel_size;
    float sum = 0.0f;
    for (int k = 0; k < end; k++)
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
