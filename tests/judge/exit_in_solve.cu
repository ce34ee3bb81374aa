// expect: Run-Time Error
// Mistake: prints a verdict of its own and leaves the program before the kernel has run.
// says: solve() did not return: the process ended with exit status 0
// problem: conv1d
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    printf("Accepted\n");
    fflush(stdout);
    exit(0);
}
