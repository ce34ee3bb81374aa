// expect: Judge Error
// says: a limit of the judge: it does not provide cudaIpcGetMemHandle(), or not in this way (hidden_not_provided.cu:23: `
// problem: conv1d
//
// In a hidden case, solve() makes a call that the judge does not provide.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
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
    cudaIpcMemHandle_t handle;
    if (input_size > 20 && cudaIpcGetMemHandle(&handle, output) != cudaSuccess)
        return;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
