// expect: Run-Time Error
// problem: conv1d
// naive: no verdict
// naive on cuda: accepted wrong
// Writes one element before and one behind the output, which nobody looks at who only compares the output.
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

__global__ void touch(float* output, int count)
{
    output[-1] = output[count] = 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    touch<<<1, 1>>>(output, input_size - kernel_size + 1);
    cudaDeviceSynchronize();
}
