// expect: Judge Error
// says: a limit of the judge: it does not provide cudaDeviceGetSharedMemConfig (not_provided.cu:23: `if (cudaDeviceGetSharedMemConfig(&config) != cudaSuccess)`)
// problem: conv1d
//
// solve() makes a CUDA call that the judge does not provide, and needs its result.
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
    cudaSharedMemConfig config;
    if (cudaDeviceGetSharedMemConfig(&config) != cudaSuccess)
        return;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
