// expect: Wrong Answer
// problem: conv1d
// naive: accepted wrong
// Writes NaN, for which every comparison is false: a judge that looks for errors above a bound finds none.
#include <cuda_runtime.h>

__global__ void fill(float* output, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = __int_as_float(0x7FC00000);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;
    fill<<<(count + 255) / 256, 256>>>(output, count);
}
