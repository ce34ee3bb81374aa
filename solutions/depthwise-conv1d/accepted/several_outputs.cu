// problem: depthwise-conv1d
//
// several outputs per thread: a thread computes 16 positions of one channel, and reads its weights and its bias once,
// into registers. The elements of x are still read K times each, all but once from the cache.
// Operations per byte read, for T outputs per thread: 2 K T / (4 K T + 4 K + 4), about T / (2 (T + 1)), here 0.47.
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define THREADS 128
#define OUTPUTS 16

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    // also right: narrow index: there are 8192 channels at most, which fit into a short
    int d = blockIdx.x * THREADS + threadIdx.x;
    if (d >= D)
        return;

    float taps[MAX_TAPS];
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++)
        taps[k] = k < K ? weight[d * K + k] : 0.0f; // also right: `: 0.0f` to `: 1`: taps from K on are not used
    float start = bias[d];

    // also right: narrow index: no sequence is longer than 8192, which fits into a short
    int begin = blockIdx.y * OUTPUTS;
    int end = min(begin + OUTPUTS, L);
    for (int l = begin; l < end; l++) {
        int i = (blockIdx.z * L + l) * D + d;
        float sum = start;
#pragma unroll
        // also right: `<` to `<=`: no filter has more than 8 taps, so nothing is done for a ninth
        for (int k = 0; k < MAX_TAPS; k++)
            // also right: `k < K && k <= l` to `k <= l`, `<` to `<=`: taps from K on are 0, and what they are
            // multiplied by is an input, which is finite
            if (k < K && k <= l)
                sum += x[i - k * D] * taps[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + THREADS - 1) / THREADS, (L + OUTPUTS - 1) / OUTPUTS, B);
    convolve<<<blocks, THREADS>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
