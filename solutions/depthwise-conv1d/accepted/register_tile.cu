// problem: depthwise-conv1d
//
// register tile: since no thread needs the channel of another, the window can are in registers. A thread walks down 64
// positions of its channel; each step reads one new element, the other K - 1 are those of the steps before. There is no
// shared memory and no barrier. Weights beyond K are zero, so the window of 8 may hold anything there.
// Unrolled by eight, the window rotates within the same registers instead of being moved.
// Operations per byte read, for walks of T positions: K T / (2 (T + K - 1)); with T = 64, 1.9 for K = 4, 3.6 for K = 8.
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define THREADS 128
#define WALK 64

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int d = blockIdx.x * THREADS + threadIdx.x;
    if (d >= D)
        return;

    int begin = blockIdx.y * WALK; // also right: narrow index: no sequence is longer than 8192, which fits into a short
    // also right: `min(begin + WALK, L)` to `(L)`: each thread goes on to the end of its sequence and stores once more
    // what those after it store: slow, but right
    int end = min(begin + WALK, L);
    const float* column = x + blockIdx.z * L * D + d;
    float taps[MAX_TAPS];
    float window[MAX_TAPS]; // elements l, l - 1, ... l - 7 of this channel
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++) {
        taps[k] = k < K ? weight[d * K + k] : 0.0f;
        // also right: `k < K - 1 && begin - 1 - k >= 0` to `begin - 1 - k >= 0`, `<` to `<=`, `K - 1` to `K`, `K -` to `K +`: taps
        // from K on are 0, and what they are multiplied by is an input, which is finite
        // also right: `>=` to `>`: blocks begin at multiples of 32, so none begins right behind the first position
        window[k] = k < K - 1 && begin - 1 - k >= 0 ? column[(begin - 1 - k) * D] : 0.0f;
    }
    float start = bias[d];

#pragma unroll 8
    for (int l = begin; l < end; l++) {
#pragma unroll
        for (int k = MAX_TAPS - 1; k > 0; k--)
            window[k] = window[k - 1];
        window[0] = column[l * D];

        float sum = start;
#pragma unroll
        for (int k = 0; k < MAX_TAPS; k++)
            sum += window[k] * taps[k];
        output[(blockIdx.z * L + l) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + THREADS - 1) / THREADS, (L + WALK - 1) / WALK, B);
    convolve<<<blocks, THREADS>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
