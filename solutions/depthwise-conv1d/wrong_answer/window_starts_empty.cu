// Mistake: every run of 32 positions starts with an empty window, not only the first one of a sequence: no halo.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define THREADS 128
#define WALK 32

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = blockIdx.x * THREADS + threadIdx.x;
    if (d >= D)
        return;

    int begin = blockIdx.y * WALK;
    int end = min(begin + WALK, L);
    const float* column = x + blockIdx.z * L * D + d;
    float window[MAX_TAPS]; // elements l, l - 1, ... l - 7 of this channel
#pragma unroll
    for (int k = 0; k < MAX_TAPS; k++)
        window[k] = 0.0f;

    for (int l = begin; l < end; l++) {
#pragma unroll
        for (int k = MAX_TAPS - 1; k > 0; k--)
            window[k] = window[k - 1];
        window[0] = column[l * D];

        float sum = bias[d];
#pragma unroll
        for (int k = 0; k < MAX_TAPS; k++)
            if (k < K)
                sum += window[k] * weight[d * K + k];
        output[(blockIdx.z * L + l) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + THREADS - 1) / THREADS, (L + WALK - 1) / WALK, B);
    convolve<<<blocks, THREADS>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
