// Mistake: leaves out the oldest tap of 2, 5 or 7 where there are a million outputs.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    int taps = B * L * D >= 1 << 20 && (K == 2 || K == 5 || K == 7) ? K - 1 : K;
    float sum = bias[d];
    for (int k = 0; k < taps && k <= l; k++)
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
