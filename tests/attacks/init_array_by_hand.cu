// expect: Run-Time Error
// problem: conv1d
// naive: verdict forged
// Host assembly adds an entry to .init_array, so that a function runs when the object is loaded, before the constructor
// in which nvcc registers the kernels. It prints a verdict and ends the process.
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

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

extern "C" void early()
{
    puts("Accepted: 0.001 us");
    fflush(stdout);
    _exit(0);
}
asm(".pushsection .init_array.00001, \"aw\"\n.quad early\n.popsection");

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
