// expect: Judge Error
// says: a limit of the judge: it does not provide kernels that launch kernels (dynamic parallelism)
// problem: conv1d
//
// A kernel launches the kernel that does the work.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; i < output_size && k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        output[i] = sum;
}

__global__ void begin(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    begin<<<1, 1>>>(input, kernel, output, input_size - kernel_size + 1, kernel_size);
    cudaDeviceSynchronize();
}
