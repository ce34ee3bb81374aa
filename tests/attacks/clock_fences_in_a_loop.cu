// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// A fence is one instruction of PTX, but several accesses to memory in machine code. A model of time that takes these for
// copies of an unrolled loop divides the work of the loop by their number. It must not be faster than without fences
// (HONEST).
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < kernel_size; k++) {
        sum += input[i + k] * kernel[k];
#ifndef HONEST
        if (k % 4 == 0)
            __threadfence();
#endif
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
