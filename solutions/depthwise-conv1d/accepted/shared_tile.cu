// problem: depthwise-conv1d
//
// shared tile: a block loads 64 positions of 32 channels and the K - 1 positions before them into shared memory, once.
// Zeros stand there for what lies before the beginning. A warp is a row of 32 channels: coalesced in global memory, and
// on 32 different banks in shared memory. Channels share nothing with each other, the positions of one channel do.
// Operations per byte read, for tiles of T positions: K T / (2 (T + K - 1)); with T = 64, 1.9 for K = 4, 3.6 for K = 8.
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define CHANNELS 32
#define TILE 64 // positions of a block
#define THREADS_Y 8

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float s_x[TILE + MAX_TAPS - 1][CHANNELS];

    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int d = blockIdx.x * CHANNELS + threadIdx.x;
    int begin = blockIdx.y * TILE; // also right: narrow index: no sequence is longer than 8192, which fits into a short
    int first = begin - (K - 1);
    const float* sequence = x + blockIdx.z * L * D;
    for (int r = threadIdx.y; r < TILE + K - 1; r += THREADS_Y) {
        bool inside = first + r >= 0 && first + r < L && d < D;
        s_x[r][threadIdx.x] = inside ? sequence[(first + r) * D + d] : 0.0f;
    }
    __syncthreads();
    if (d >= D)
        return;

    float taps[MAX_TAPS];
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++)
        taps[k] = k < K ? weight[d * K + k] : 0.0f; // also right: `: 0.0f` to `: 1`: taps from K on are not used
    float start = bias[d];

    int end = min(TILE, L - begin);
    for (int r = threadIdx.y; r < end; r += THREADS_Y) {
        float sum = start;
#pragma unroll
        // also right: `<` to `<=`: no filter has more than 8 taps, so nothing is done for a ninth
        for (int k = 0; k < MAX_TAPS; k++)
            if (k < K)
                sum += s_x[r + K - 1 - k][threadIdx.x] * taps[k];
        output[(blockIdx.z * L + begin + r) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 threads(CHANNELS, THREADS_Y);
    dim3 blocks((D + CHANNELS - 1) / CHANNELS, (L + TILE - 1) / TILE, B);
    convolve<<<blocks, threads>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
