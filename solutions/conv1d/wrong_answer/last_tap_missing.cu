// Mistake: leaves out the last tap of an even filter, taking it for a radius on both sides of a middle.
// says: every element
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    int radius = (kernel_size - 1) / 2;
    float sum = 0.0f;
    for (int k = -radius; k <= radius; k++)
        sum += input[i + radius + k] * kernel[radius + k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
