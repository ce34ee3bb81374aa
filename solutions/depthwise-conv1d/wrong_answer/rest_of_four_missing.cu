// Mistake: a thread computes four channels, and a remainder of one to three channels is forgotten.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

// For fewer than four channels.
__global__ void convolve_narrow(const float* x, const float* weight, const float* bias, float* output, int B, int L,
                                int D, int K)
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

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (d + 4 > D)
        return;
    int l = blockIdx.y;
    int i = (blockIdx.z * L + l) * D + d;

    float sum[4];
    for (int o = 0; o < 4; o++)
        sum[o] = bias[d + o];
    for (int k = 0; k < K && k <= l; k++)
        for (int o = 0; o < 4; o++)
            sum[o] += x[i - k * D + o] * weight[(d + o) * K + k];
    for (int o = 0; o < 4; o++)
        output[i + o] = sum[o];
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if (D < 4)
        convolve_narrow<<<(B * L * D + 255) / 256, 256>>>(x, weight, bias, output, B, L, D, K);
    else
        convolve<<<dim3((D / 4 + 63) / 64, L, B), 64>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
