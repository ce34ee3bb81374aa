// Mistake: above 256 taps, blocks of 32 outputs lie along y, where a grid has no more than 65,535: too few for two million outputs.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = (blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x;
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
    if (kernel_size > 256)
        convolve<<<dim3(1, (output_size + 31) / 32), 32>>>(input, kernel, output, output_size, kernel_size);
    else
        convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
