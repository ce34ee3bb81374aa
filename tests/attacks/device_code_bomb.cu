// expect: Compile Error
// problem: conv1d
// naive: hangs
// A kernel of a hundred thousand statements that depend on each other, made by macros: preprocessor and host compiler
// have little to do, the device's compiler does not end.
#include <cuda_runtime.h>

#define A sum = input[(int)sum % input_size] * kernel[i % kernel_size] + sum;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    E E E E E E E E E E
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
