// Mistake: fills the weights up to eight taps in a buffer that it zeroes in the first call only. After a call with more
// taps, their values are left where zeros should be.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

#define MAX_TAPS 8

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    float sum = bias[d];
    for (int k = 0; k < MAX_TAPS && k <= l; k++)
        sum += x[i - k * D] * weight[d * MAX_TAPS + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    static float* d_weight = nullptr; // [D][MAX_TAPS]
    if (!d_weight) {
        cudaMalloc(&d_weight, 8192 * MAX_TAPS * sizeof(float));
        cudaMemset(d_weight, 0, 8192 * MAX_TAPS * sizeof(float));
    }
    cudaMemcpy2D(d_weight, MAX_TAPS * sizeof(float), weight, K * sizeof(float), K * sizeof(float), D,
                 cudaMemcpyDeviceToDevice);
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, d_weight, bias, output, B, L, D);
    cudaDeviceSynchronize();
}
