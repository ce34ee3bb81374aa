// expect: Wrong Answer, Rule Violation, Integrity Violation, Run-Time Error, Time Limit Exceeded
// problem: conv1d
// naive: does not apply: only this judge's runtime library can be told that solve() has returned
// Tells the judge that solve() has returned, and only then does the work.
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

extern "C" void convjudge_returned(void);

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convjudge_returned();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
