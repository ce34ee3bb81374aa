// Mistake: a block has a thread for each channel, but there can be 1,024 in a block: with more, the kernel never runs.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = threadIdx.x;
    int l = blockIdx.x;
    int i = (blockIdx.y * L + l) * D + d;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    convolve<<<dim3(L, B), D>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
