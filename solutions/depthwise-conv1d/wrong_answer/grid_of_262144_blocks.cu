// Mistake: at most 262,144 blocks of 128 threads, so half of the largest output is never computed.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    int columns = (D + 127) / 128; // blocks in a row
    int row = blockIdx.x / columns;    // b * L + l
    int d = blockIdx.x % columns * blockDim.x + threadIdx.x;
    if (d >= D)
        return;
    int i = row * D + d;
    int l = row % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int columns = (D + 127) / 128;
    convolve<<<min(columns * B * L, 1 << 18), 128>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
