// Mistake: keeps elements and weights in half precision, which overflows beyond 65,504 and has 11 bits of mantissa.
// problem: depthwise-conv1d
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float to_half(float value)
{
    return __half2float(__float2half(value));
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
        sum += to_half(x[i - k * D]) * to_half(weight[d * K + k]);
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
