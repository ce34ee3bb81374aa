// expect: Compile Error
// problem: conv1d
// naive: does not apply: only a judge that reads GPU code out of the object meets these bytes
// Host assembly fills .nv_fatbin, the section of the GPU code, with bytes that are no container. A judge that reads its
// modules out of the finished object fails over them.
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

asm(".pushsection .nv_fatbin, \"a\"\n"
    ".fill 4096, 1, 0x50\n"
    ".popsection");

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
