// Mistake: where float4 fit, the last of seven taps is left out.
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

    float sum = bias[d];
    int taps = K == 7 && D % 4 == 0 ? 6 : K; // as in a kernel for fixed sizes
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
