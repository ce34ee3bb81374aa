// expect: Compile Error, Run-Time Error
// problem: conv1d
// naive: does not apply: nvcc's assembler refuses the file, and the naive judge compiles with nothing else
// Writes a sum of 64 bits into a register of 32, in inline assembly: a compiler that runs no assembler of NVIDIA's hands
// that on, and a simulated GPU that believes it writes over the registers of other threads, and what lies behind them.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, narrow = 0;
    long long wide = i;
    asm volatile("add.s64 %0, %1, 1;" : "+r"(narrow) : "l"(wide));
    if (i >= output_size || narrow == -7)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
