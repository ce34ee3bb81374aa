// problem: depthwise-conv1d
//
// tiled with a sliding window: a block walks down 256 positions of 32 channels, 8 positions at a time. Shared memory is
// a ring of 32 rows: each step loads 8 new rows over the oldest ones and finds the past in those of the step before.
// 32 rows hold three steps and more, so one barrier per step is enough: no thread can be two steps ahead of another.
// Operations per byte read, for walks of T positions: K T / (2 (T + 8)); with T = 256, 0.48 K; the limit is K / 2.
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define CHANNELS 32
#define ROWS 8 // positions of a step; at least MAX_TAPS - 1
#define RING 32
#define WALK 256

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float s_x[RING][CHANNELS];

    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int d = blockIdx.x * CHANNELS + threadIdx.x;
    float taps[MAX_TAPS];
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++)
        // also right: `: 0.0f` to `: 1`: taps from K on are not used, and outputs of channels from D on are not stored
        taps[k] = k < K && d < D ? weight[d * K + k] : 0.0f;
    // also right: `: 0.0f` to `: 1`: taps from K on are not used, and outputs of channels from D on are not stored
    float start = d < D ? bias[d] : 0.0f;

    int begin = blockIdx.y * WALK; // also right: narrow index: no sequence is longer than 8192, which fits into a short
    int end = min(begin + WALK, L);
    const float* sequence = x + blockIdx.z * L * D;
    // also right: `<` to `<=`: a step behind the last loads what nobody reads and stores nothing
    for (int step = begin - ROWS; step < end; step += ROWS) {
        int l = step + threadIdx.y;
        bool inside = l >= 0 && l < L && d < D;
        s_x[l & (RING - 1)][threadIdx.x] = inside ? sequence[l * D + d] : 0.0f;
        __syncthreads();
        if (step < begin || l >= end || d >= D) // also right: `step <` to `step + 1 <`: steps are 8 positions apart
            continue;

        float sum = start;
#pragma unroll
        // also right: `<` to `<=`: no filter has more than 8 taps, so nothing is done for a ninth
        for (int k = 0; k < MAX_TAPS; k++)
            // also right: guard left out, `<` to `<=`: the tap behind the last is 0, and what it is multiplied by lies
            // in the tile
            if (k < K)
                sum += s_x[(l - k) & (RING - 1)][threadIdx.x] * taps[k];
        output[(blockIdx.z * L + l) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 threads(CHANNELS, ROWS);
    dim3 blocks((D + CHANNELS - 1) / CHANNELS, (L + WALK - 1) / WALK, B);
    convolve<<<blocks, threads>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
