// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: accepted faster
// Computes in the first call and in every tenth one after it, and hopes that what lies in the output is still right in
// the others.
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

static int calls;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (calls++ % 10 != 0)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
