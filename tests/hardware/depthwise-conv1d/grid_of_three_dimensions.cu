// Blocks of 32 channels and 8 positions, the batch along z.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int l = blockIdx.y * blockDim.y + threadIdx.y;
    if (d >= D || l >= L)
        return;
    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += weight[d * K + k] * x[((size_t)blockIdx.z * L + l - k) * D + d];
    output[((size_t)blockIdx.z * L + l) * D + d] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    convolve<<<dim3((D + 31) / 32, (L + 7) / 8, B), dim3(32, 8)>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
