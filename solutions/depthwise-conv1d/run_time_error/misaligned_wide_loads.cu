// Mistake: reads four channels at once, but where D is no multiple of 4 a row need not begin at a multiple of 16
// bytes.
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

// Four channels a thread; the last thread of a row goes back so far that it ends with the row.
__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    int d = min((int)(blockIdx.x * blockDim.x + threadIdx.x) * 4, D - 4);
    int l = blockIdx.y;
    int i = (blockIdx.z * L + l) * D + d;

    float4 sum = make_float4(bias[d], bias[d + 1], bias[d + 2], bias[d + 3]);
    for (int k = 0; k < K && k <= l; k++) {
        float4 four = *reinterpret_cast<const float4*>(x + i - k * D);
        sum.x += four.x * weight[d * K + k];
        sum.y += four.y * weight[(d + 1) * K + k];
        sum.z += four.z * weight[(d + 2) * K + k];
        sum.w += four.w * weight[(d + 3) * K + k];
    }
    *reinterpret_cast<float4*>(output + i) = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    if (D < 4)
        convolve_narrow<<<(B * L * D + 255) / 256, 256>>>(x, weight, bias, output, B, L, D, K);
    else
        convolve<<<dim3(((D + 3) / 4 + 63) / 64, L, B), 64>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
