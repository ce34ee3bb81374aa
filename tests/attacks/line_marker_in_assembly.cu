// expect: Compile Error
// problem: conv1d
// naive: does not apply: the naive judge models no time
// A preprocessor's line marker in inline assembly, where the judge's parser used to skip it: between the string of a
// .pragma and its semicolon. ptxas obeys it and numbers the lines anew, so that the machine code of the loop claims to come
// from lines that never ran, and costs nothing on the simulated clock.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    asm volatile(".pragma \"nounroll\"\n# 20 \"x\"\n;");
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
