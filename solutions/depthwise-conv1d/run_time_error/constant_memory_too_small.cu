// Mistake: has constant memory for 4,096 weights only, and does not check the error of the copy.
// on cuda: Run-Time Error, Wrong Answer
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__constant__ float c_weight[4096];

__global__ void convolve(const float* x, const float* bias, float* output, int B, int L, int D, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * c_weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    cudaMemcpyToSymbol(c_weight, weight, D * K * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
