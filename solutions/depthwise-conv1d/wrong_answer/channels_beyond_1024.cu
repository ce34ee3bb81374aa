// Mistake: gives each position a block with a thread for each channel, but no more than 1,024, the most that a block
// can have.
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
    convolve<<<dim3(L, B), min(D, 1024)>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
