// A kernel of its own transposes the taps, so that neighbouring channels read them side by side; two channels a thread.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__device__ float turned[8 * 8192];

__global__ void turn(const float* weight, int D, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < D * K)
        turned[i % K * D + i / K] = weight[i];
}

__global__ void convolve(const float* x, const float* bias, float* output, int L, int D, int K)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    int l = blockIdx.y;
    size_t row = ((size_t)blockIdx.z * L + l) * D;
    for (int d = pair; d < min(pair + 2, D); d++) {
        float sum = bias[d];
        for (int k = 0; k < K; k++)
            if (k <= l)
                sum += turned[k * D + d] * x[row + d - (size_t)k * D];
        output[row + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    turn<<<(D * K + 255) / 256, 256>>>(weight, D, K);
    convolve<<<dim3((D + 255) / 256, L, B), 128>>>(x, bias, output, L, D, K);
}
