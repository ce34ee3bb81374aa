// expect: Run-Time Error
// says: too many blocks in cooperative launch (more blocks than the device can run at once)
// problem: conv1d
//
// All blocks of a cooperative launch must run at the same time, and a GPU has no room for 100,000.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    void* arguments[] = {&input, &kernel, &output, &output_size, &kernel_size};
    cudaLaunchCooperativeKernel((void*)convolve, dim3(100000), dim3(256), arguments, 0, 0);
    cudaDeviceSynchronize();
}
