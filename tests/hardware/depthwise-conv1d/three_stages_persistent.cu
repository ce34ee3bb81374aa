// Blocks march along 256 channels with three stages of eight positions in shared memory, filled by asynchronous copies.
// problem: depthwise-conv1d
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define STEP 8
#define STAGES 3

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K,
                         int piece)
{
    __shared__ float ring[STAGES][STEP][256];
    int d = blockIdx.x * 256 + threadIdx.x;
    if (d >= D)
        return; // no barriers: a thread reads only what it copied itself
    size_t base = (size_t)blockIdx.z * L * D + d;
    int begin = blockIdx.y * piece, end = min(L, begin + piece);
    float taps[8], past[8], start = bias[d];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        taps[k] = k < K ? weight[d * K + k] : 0.0f;
        past[k] = k > 0 && k < K && begin - k >= 0 ? x[base + (size_t)(begin - k) * D] : 0.0f;
    }
    auto copy = [&](int stage, int first) {
        for (int j = 0; j < STEP; j++)
            if (first + j < end)
                __pipeline_memcpy_async(&ring[stage][j][threadIdx.x], &x[base + (size_t)(first + j) * D], 4);
        __pipeline_commit();
    };
    for (int s = 0; s < STAGES - 1; s++)
        copy(s, begin + s * STEP);
    int stage = 0;
    for (int first = begin; first < end; first += STEP, stage = (stage + 1) % STAGES) {
        copy((stage + STAGES - 1) % STAGES, first + (STAGES - 1) * STEP);
        __pipeline_wait_prior(STAGES - 1);
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            if (first + j >= end)
                break;
            past[0] = ring[stage][j][threadIdx.x];
            float sum = start;
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum += taps[k] * past[k];
            output[base + (size_t)(first + j) * D] = sum;
#pragma unroll
            for (int k = 7; k > 0; k--)
                past[k] = past[k - 1];
        }
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    int piece = 256;
    convolve<<<dim3((D + 255) / 256, (L + piece - 1) / piece, B), 256>>>(x, weight, bias, output, L, D, K, piece);
    cudaDeviceSynchronize();
}
