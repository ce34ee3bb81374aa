// Mistake: gives each position of each sequence a block, and limits the grid to 65,535 of them.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int row = blockIdx.y; // b * L + l
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= D)
        return;
    int i = row * D + d;
    int l = row % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + 127) / 128, min(B * L, 65535));
    convolve<<<blocks, 128>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
