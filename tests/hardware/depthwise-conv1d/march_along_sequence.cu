// A thread marches along the whole sequence of a channel, and keeps the last inputs in registers: few threads.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= D)
        return;
    size_t start = (size_t)blockIdx.y * L * D + d;
    float taps[8], past[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        taps[k] = k < K ? weight[d * K + k] : 0.0f;
        past[k] = 0.0f;
    }
    for (int l = 0; l < L; l++) {
#pragma unroll
        for (int k = 7; k > 0; k--)
            past[k] = past[k - 1];
        past[0] = x[start + (size_t)l * D];
        float sum = bias[d];
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += taps[k] * past[k];
        output[start + (size_t)l * D] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    convolve<<<dim3((D + 127) / 128, B), 128>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
