// expect: Accepted
// problem: conv1d-same
// no advice: async_copies
// case: 2
// While a block computes with one tile, the next one is on its way.
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

constexpr int THREADS = 64, EACH = 5, TILE = THREADS * EACH, STEP = 16; // outputs of a block; taps of a tile

// Starts to copy one tile of the inputs and one of the taps.
__device__ void fetch(const float* input, const float* filter, int width, int taps, int start, int base, float* s_in,
                      float* s_taps)
{
    if (threadIdx.x < STEP && base + threadIdx.x < taps)
        __pipeline_memcpy_async(&s_taps[threadIdx.x], &filter[base + threadIdx.x], 4);
    else if (threadIdx.x < STEP)
        s_taps[threadIdx.x] = 0.0f;
    for (int j = threadIdx.x; j < TILE + STEP; j += THREADS) {
        int i = start + base + j;
        if (i >= 0 && i < width)
            __pipeline_memcpy_async(&s_in[j], &input[i], 4);
        else
            s_in[j] = 0.0f;
    }
    __pipeline_commit();
}

__global__ void convolve(const float* input, const float* filter, float* output, int width, int taps)
{
    __shared__ float s_in[2][TILE + STEP], s_taps[2][STEP];
    int start = blockIdx.x * TILE - taps / 2, me = threadIdx.x * EACH;
    float acc[EACH] = {}, window[EACH];
    fetch(input, filter, width, taps, start, 0, s_in[0], s_taps[0]);
    for (int base = 0, now = 0; base < taps; base += STEP, now ^= 1) {
        fetch(input, filter, width, taps, start, base + STEP, s_in[now ^ 1], s_taps[now ^ 1]);
        __pipeline_wait_prior(1); // the tile before that one is there
        __syncthreads();
#pragma unroll
        for (int o = 0; o < EACH - 1; o++)
            window[o] = s_in[now][me + o];
#pragma unroll 8
        for (int k = 0; k < STEP; k++) {
            window[EACH - 1] = s_in[now][me + k + EACH - 1];
            float tap = s_taps[now][k];
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
