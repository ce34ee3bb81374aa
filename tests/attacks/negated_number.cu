// expect: Compile Error, Run-Time Error
// problem: conv1d
// naive: does not apply: nvcc's assembler refuses the file, and the naive judge compiles with nothing else
// Negates a number as if it were a predicate, in inline assembly: a compiler that runs no assembler of NVIDIA's hands that
// on, and a simulated GPU that believes it reads the registers of other threads, and what lies behind them.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, chosen;
    asm volatile("{ .reg .pred less; setp.gt.s32 less, !%1, %2; selp.s32 %0, 1, 0, less; }"
                 : "=r"(chosen)
                 : "r"(i), "r"(output_size));
    if (i >= output_size || chosen == 7)
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
