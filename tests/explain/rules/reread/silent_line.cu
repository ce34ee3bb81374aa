// expect: Accepted
// problem: conv1d-same
// no advice: reread
// A block reads its inputs once, contiguously, into shared memory.
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
