// expect: Accepted
// problem: depthwise-conv1d
// advice: imbalance_lanes
// A warp has 36 channels: four lanes walk down two of them, and 28 wait.
#include <cuda_runtime.h>

#define TAPS 8
#define CHANNELS 36 // of a warp
#define WARPS 4
#define LENGTH 64 // positions of a warp

__global__ void conv(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    const int lane = threadIdx.x, start = (blockIdx.y * WARPS + threadIdx.y) * LENGTH, b = blockIdx.z;
    const int stop = min(start + LENGTH, L), past = min((blockIdx.x + 1) * CHANNELS, D);
    if (start >= L)
        return;
    for (int d = blockIdx.x * CHANNELS + lane; d < past; d += 32) { // here
        float w[TAPS], seen[TAPS];
#pragma unroll
        for (int k = 0; k < TAPS; ++k) {
            w[k] = k < K ? weight[d * K + k] : 0.f;
            seen[k] = k < K - 1 && start - 1 - k >= 0 ? x[((long)b * L + start - 1 - k) * D + d] : 0.f;
        }
#pragma unroll 8
        for (int l = start; l < stop; ++l) {
#pragma unroll
            for (int k = TAPS - 1; k > 0; --k)
                seen[k] = seen[k - 1];
            seen[0] = x[((long)b * L + l) * D + d];
            float acc = bias[d];
#pragma unroll
            for (int k = 0; k < TAPS; ++k)
                acc += seen[k] * w[k];
            output[((long)b * L + l) * D + d] = acc;
        }
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 grid((D + CHANNELS - 1) / CHANNELS, (L + WARPS * LENGTH - 1) / (WARPS * LENGTH), B);
    conv<<<grid, dim3(32, WARPS)>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
