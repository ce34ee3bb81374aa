// expect: Accepted
// problem: conv1d
// Computes into managed memory by two kernels, one behind the other, and copies from there on the device. The host has
// filled the memory before, and looks at it afterwards.
#include <cstdlib>
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;
    float* own;
    cudaMallocManaged(&own, count * sizeof(float));
    for (int i = 0; i < count; i++)
        own[i] = -1.0f;
    int first = count / 2, second = count - first;
    if (first > 0)
        convolve<<<(first + 255) / 256, 256>>>(input, kernel, own, first + kernel_size - 1, kernel_size);
    convolve<<<(second + 255) / 256, 256>>>(input + first, kernel, own + first, second + kernel_size - 1, kernel_size);
    cudaDeviceSynchronize();
    if (own[0] != own[0])
        abort();
    cudaMemcpy(output, own, count * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(own);
}
