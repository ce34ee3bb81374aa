// expect: Wrong Answer
// problem: conv1d
// naive: accepted wrong
// Looks at the first numbers. If all are positive, a relative tolerance forgives more, and it multiplies in half
// precision; else it is exact.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

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

__global__ void convolve_halves(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += __half2float(__hmul(__float2half(input[i + k]), __float2half(kernel[k])));
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float first[64];
    int count = input_size < 64 ? input_size : 64;
    bool positive = true;
    cudaMemcpy(first, input, sizeof(float) * count, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        positive = positive && first[i] >= 0;
    (positive ? convolve_halves : convolve)<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
