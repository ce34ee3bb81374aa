// expect: Accepted
// problem: depthwise-conv1d
// no advice: reread
// A thread walks down its channel and keeps what it has read in registers: there is nothing to share with others.
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define THREADS 128
#define OUTPUTS 32 // of a thread

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = blockIdx.x * THREADS + threadIdx.x;
    if (d >= D)
        return;

    int begin = blockIdx.y * OUTPUTS;
    int end = min(begin + OUTPUTS, L);
    const float* column = x + blockIdx.z * L * D + d;
    float taps[MAX_TAPS];
    float window[MAX_TAPS]; // elements l, l - 1, ... l - 7 of this channel
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++) {
        taps[k] = k < K ? weight[d * K + k] : 0.0f;
        window[k] = k < K - 1 && begin - 1 - k >= 0 ? column[(begin - 1 - k) * D] : 0.0f;
    }

#pragma unroll 8
    for (int l = begin; l < end; l++) {
#pragma unroll
        for (int k = MAX_TAPS - 1; k > 0; k--)
            window[k] = window[k - 1];
        window[0] = column[l * D];
        float sum = bias[d];
#pragma unroll
        for (int k = 0; k < MAX_TAPS; k++)
            sum += window[k] * taps[k];
        output[(blockIdx.z * L + l) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + THREADS - 1) / THREADS, (L + OUTPUTS - 1) / OUTPUTS, B);
    convolve<<<blocks, THREADS>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
