// expect: Accepted
// problem: conv1d-same
// advice: async_copies
// case: 2
// Two warps a block, nine on a multiprocessor: at each of 96 tiles they wait until its inputs and taps are there.
#include <cuda_runtime.h>

constexpr int THREADS = 64, EACH = 5, TILE = THREADS * EACH, STEP = 16; // outputs of a block; taps of a tile

__global__ void convolve(const float* input, const float* filter, float* output, int width, int taps)
{
    __shared__ float s_in[TILE + STEP], s_taps[STEP];
    int start = blockIdx.x * TILE - taps / 2, me = threadIdx.x * EACH;
    float acc[EACH] = {}, window[EACH];
    for (int base = 0; base < taps; base += STEP) {
        if (threadIdx.x < STEP)
            s_taps[threadIdx.x] = base + threadIdx.x < taps ? filter[base + threadIdx.x] : 0.0f;
        for (int j = threadIdx.x; j < TILE + STEP; j += THREADS) {
            int i = start + base + j;
            s_in[j] = i >= 0 && i < width ? input[i] : 0.0f; // here
        }
        __syncthreads();
#pragma unroll
        for (int o = 0; o < EACH - 1; o++)
            window[o] = s_in[me + o];
#pragma unroll 8
        for (int k = 0; k < STEP; k++) {
            window[EACH - 1] = s_in[me + k + EACH - 1];
            float tap = s_taps[k];
#pragma unroll
            for (int o = 0; o < EACH; o++)
                acc[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < EACH - 1; o++)
                window[o] = window[o + 1];
        }
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (blockIdx.x * TILE + me + o < width)
            output[blockIdx.x * TILE + me + o] = acc[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
