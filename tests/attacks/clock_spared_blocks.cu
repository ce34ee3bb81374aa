// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// A model of the L1 that looks at the blocks of the first multiprocessor alone sees the blocks 0, 132, 264 ... Here these
// read the same few sectors over and over and write nothing; the others do all the work, in a way that misses the L1. It
// must not be faster than without them (HONEST).
#include <cuda_runtime.h>

constexpr int OUTPUTS = 8, THREADS = 128;

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int output_size, int input_size, int kernel_size)
{
#ifdef HONEST
    bool is_spared = false;
    int block = blockIdx.x;
#else
    bool is_spared = blockIdx.x % 132 == 0;
    int block = blockIdx.x - blockIdx.x / 132 - 1;
#endif
    int first = is_spared ? threadIdx.x % 4 * OUTPUTS : (block * THREADS + threadIdx.x) * OUTPUTS;
    float sum[OUTPUTS] = {};
    if (first >= output_size)
        return;
#pragma unroll 1
    for (int k = 0; k < kernel_size; k++)
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++)
            sum[j] += input[min(first + k + j, input_size - 1)] * kernel[k];
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++)
        if (first + j < output_size && !is_spared)
            output[first + j] = sum[j];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, blocks = (output_size + THREADS * OUTPUTS - 1) / (THREADS * OUTPUTS);
#ifndef HONEST
    blocks += blocks / 131 + 1;
#endif
    convolve<<<blocks, THREADS>>>(input, kernel, output, output_size, input_size, kernel_size);
    cudaDeviceSynchronize();
}
