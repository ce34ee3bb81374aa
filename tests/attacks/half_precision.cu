// expect: Wrong Answer
// problem: conv1d
// naive: accepted wrong
// Multiplies in half precision and adds in single precision.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
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
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
