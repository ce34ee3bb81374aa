// One thread for each output, with 64-bit indices and a sum in double precision.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, long long count, int L,
                         int D, int K)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    long long d = i % D, l = i / D % L;
    double sum = bias[d];
    for (long long k = 0; k < K; k++)
        if (l - k >= 0)
            sum += (double)weight[d * K + k] * x[i - k * D];
    output[i] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    long long count = (long long)B * L * D;
    convolve<<<(count + 255) / 256, 256>>>(x, weight, bias, output, count, L, D, K);
    cudaDeviceSynchronize();
}
