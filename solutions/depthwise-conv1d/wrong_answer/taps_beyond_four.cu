// Mistake: keeps the weights of a channel in a float4, so taps beyond the fourth are left out.
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

    const float* mine = weight + d * K;
    float4 taps = make_float4(mine[0], K > 1 ? mine[1] : 0.0f, K > 2 ? mine[2] : 0.0f, K > 3 ? mine[3] : 0.0f);
    float sum = bias[d] + x[i] * taps.x;
    if (l >= 1)
        sum += x[i - D] * taps.y;
    if (l >= 2)
        sum += x[i - 2 * D] * taps.z;
    if (l >= 3)
        sum += x[i - 3 * D] * taps.w;
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
