// Each sequence of the batch has its own stream; a thread has four neighbouring channels, in loads of 16 bytes.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void by_four(const float4* x, const float* weight, const float4* bias, float4* output, int L, int fours,
                        int K)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x, l = blockIdx.y;
    if (d >= fours)
        return;
    float4 sum = bias[d];
    for (int k = 0; k < K && k <= l; k++) {
        float4 value = x[(l - k) * fours + d];
        const float* taps = weight + 4 * d * K + k;
        sum.x += value.x * taps[0];
        sum.y += value.y * taps[K];
        sum.z += value.z * taps[2 * K];
        sum.w += value.w * taps[3 * K];
    }
    output[l * fours + d] = sum;
}

__global__ void by_one(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x, l = blockIdx.y;
    if (d >= D)
        return;
    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[(l - k) * D + d] * weight[d * K + k];
    output[l * D + d] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    cudaStream_t streams[16];
    for (int b = 0; b < B; b++) {
        cudaStreamCreate(&streams[b]);
        const float* from = x + (size_t)b * L * D;
        float* to = output + (size_t)b * L * D;
        if (D % 4 == 0)
            by_four<<<dim3((D / 4 + 255) / 256, L), 256, 0, streams[b]>>>(
                (const float4*)from, weight, (const float4*)bias, (float4*)to, L, D / 4, K);
        else
            by_one<<<dim3((D + 255) / 256, L), 256, 0, streams[b]>>>(from, weight, bias, to, L, D, K);
    }
    for (int b = 0; b < B; b++) {
        cudaStreamSynchronize(streams[b]);
        cudaStreamDestroy(streams[b]);
    }
}
