// expect: Accepted
// problem: depthwise-conv1d
// no advice: serial_launches
// case: 3
// One launch, each of whose threads adds up all taps in a register.
#include <cuda_runtime.h>

__global__ void conv(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K,
                     long long items)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
        return;
    int d = i % D, l = i / D % L;
    float acc = bias[d];
    int taps = K < l + 1 ? K : l + 1;
    for (int k = 0; k < taps; k++)
        acc += x[i - (long long)k * D] * weight[d * K + k];
    output[i] = acc;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    long long items = (long long)B * L * D;
    conv<<<(int)((items + 255) / 256), 256>>>(x, weight, bias, output, L, D, K, items);
    cudaDeviceSynchronize();
}
