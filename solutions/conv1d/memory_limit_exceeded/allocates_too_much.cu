// Mistake: asks for 2 GiB of device memory for its sums, and does not check whether it got them.
// says: more device memory than the limit was refused (allocates_too_much.cu:23: `cudaMalloc(&d_sums, (size_t)2 << 30);`); after that, kernel convolve
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* sums, float* output, int output_size,
                         int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    sums[i] = sum;
    output[i] = sums[i];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float* d_sums = nullptr;
    cudaMalloc(&d_sums, (size_t)2 << 30);
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, d_sums, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
}
