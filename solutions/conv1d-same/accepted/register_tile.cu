// problem: conv1d-same
//
// several outputs per thread from registers: a thread computes 7 neighbouring outputs. As it goes along the filter, the
// 7 inputs under it are in registers; each step loads one new input and one tap from shared memory for 7 multiply-adds.
// Unrolled by seven, the window rotates within the same registers instead of being moved. 7 is odd, so the 32 threads
// of a warp, whose inputs lie 7 apart, read from 32 different banks.
// Operations per byte read from shared memory, for S outputs per thread: 2 S / 8, here 7/4 instead of 1/4; read from
// global memory as any tile, T F / (2 (T + F - 1)) with T = 896.
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 7
#define TILE (THREADS * OUTPUTS)
#define MAX_FILTER_WIDTH 2047

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_filter[MAX_FILTER_WIDTH];
    __shared__ float s_input[TILE + MAX_FILTER_WIDTH - 1];

    int first = blockIdx.x * TILE - filter_width / 2;
    for (int k = threadIdx.x; k < filter_width; k += THREADS)
        s_filter[k] = filter[k];
    for (int j = threadIdx.x; j < TILE + filter_width - 1; j += THREADS)
        s_input[j] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 6 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[o];

#pragma unroll 7
    for (int k = 0; k < filter_width; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
        float tap = s_filter[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }

    int i = blockIdx.x * TILE + threadIdx.x * OUTPUTS;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < width)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int blocks = (width + TILE - 1) / TILE;
    convolve<<<blocks, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
