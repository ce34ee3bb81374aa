// expect: Accepted
// problem: conv1d
// advice: several_outputs
// A thread computes 7 neighbouring outputs. Going along the filter, the 7 inputs under it stay in registers: one new
// input and one tap for 7 multiply-adds. Model: solutions/conv1d-same/accepted/register_tile.cu, without its tile
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 7 // of a thread; odd, so that the inputs of a warp lie in different banks of the L1

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    int output_size = input_size - kernel_size + 1;
    if (i >= output_size)
        return;

    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 6 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = i + o < input_size ? input[i + o] : 0.0f;
#pragma unroll 7
    for (int k = 0; k < kernel_size; k++) {
        int newest = i + k + OUTPUTS - 1;
        window[OUTPUTS - 1] = newest < input_size ? input[newest] : 0.0f;
        float tap = kernel[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < output_size)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int outputs_of_a_block = THREADS * OUTPUTS;
    int blocks = (output_size + outputs_of_a_block - 1) / outputs_of_a_block;
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
