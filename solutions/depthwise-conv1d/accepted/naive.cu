// problem: depthwise-conv1d
//
// naive: one thread computes one output element, straight from global memory. Neighbouring threads have neighbouring
// channels, so the reads of x are coalesced, and those of the past nearly always hit a cache. The weights of
// neighbouring channels lie K apart: a warp touches up to 32 sectors of 32 bytes for each tap.
// Operations per byte read: 2 K for 4 K of x, 4 K of weights and 4 of bias, about 1/4 for any K.
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int threads = 256;
    int blocks = (B * L * D + threads - 1) / threads;
    convolve<<<blocks, threads>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
