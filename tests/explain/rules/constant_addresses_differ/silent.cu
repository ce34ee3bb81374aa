// expect: Accepted
// problem: conv1d
// no advice: constant_addresses_differ
// case: 2
// All threads of a warp read the same tap, which constant memory gives to all of them at once.
#include <cuda_runtime.h>

constexpr int MAX_KERNEL = 2047;

__constant__ float c_kernel[MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * c_kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(output_size + 255) / 256, 256>>>(input, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
