// Mistake: rounds elements and weights to 10 bits of mantissa, as TF32 tensor cores do.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__device__ float to_tf32(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += to_tf32(x[i - k * D]) * to_tf32(weight[d * K + k]);
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
