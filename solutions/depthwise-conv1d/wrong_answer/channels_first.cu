// Mistake: treats the arrays as rows of positions, one row for each channel.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int l = i % L;
    int d = i / L % D;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k] * weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
