// expect: Run-Time Error
// Mistake: calls abort() when a filter is longer than its constant memory.
// problem: conv1d
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ float c_kernel[256];

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
    if (kernel_size > 256)
        abort();
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);

    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
