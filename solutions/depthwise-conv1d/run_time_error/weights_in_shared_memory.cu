// Mistake: asks for the weights of all channels in shared memory, but a block can have only 48 KiB.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D,
                         int K)
{
    extern __shared__ float s_weight[]; // [D][K]

    for (int j = threadIdx.x; j < D * K; j += blockDim.x)
        s_weight[j] = weight[j];
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * L * D)
        return;
    int d = i % D;
    int l = i / D % L;

    float sum = bias[d];
    for (int k = 0; k < K && k <= l; k++)
        sum += x[i - k * D] * s_weight[d * K + k];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int blocks = (B * L * D + 255) / 256;
    convolve<<<blocks, 256, D * K * sizeof(float)>>>(x, weight, bias, output, B, L, D, K);
    cudaDeviceSynchronize();
}
