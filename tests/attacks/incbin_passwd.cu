// expect: Compile Error
// problem: conv1d
// naive: secret printed
// Has the assembler put a file of the judge's machine into the object, and prints it.
#include <cuda_runtime.h>
#include <stdio.h>

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
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}

asm(".pushsection .rodata\n .globl stolen\n stolen: .incbin \"/etc/passwd\"\n .byte 0\n .popsection");
extern "C" const char stolen[];
int printed = puts(stolen);
