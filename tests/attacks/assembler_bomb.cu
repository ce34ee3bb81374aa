// expect: Compile Error
// problem: conv1d
// naive: no memory left
// Has the assembler repeat a line two thousand million times.
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

asm(".pushsection .rodata\n.rept 2000000000\n.quad 1, 2, 3, 4\n.endr\n.popsection");

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
