// expect: Accepted
// problem: depthwise-conv1d
// advice: serial_launches
// case: 3
// A launch for each tap adds its products to the outputs, which all launches load and store.
#include <cuda_runtime.h>

__global__ void start(const float* bias, float* output, long long items, int D)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        output[i] = bias[i % D];
}

__global__ void add_tap(const float* x, const float* weight, float* output, long long items, int L, int D, int K, int k)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    int d = i % D, l = i / D % L;
    if (l >= k)
        output[i] += x[i - (long long)k * D] * weight[d * K + k];
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    long long items = (long long)B * L * D;
    int blocks = (int)((items + 255) / 256);
    start<<<blocks, 256>>>(bias, output, items, D);
    for (int k = 0; k < K; k++)
        add_tap<<<blocks, 256>>>(x, weight, output, items, L, D, K, k); // here
    cudaDeviceSynchronize();
}
