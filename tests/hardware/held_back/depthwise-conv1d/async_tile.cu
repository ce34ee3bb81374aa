// A tile of 64 channels and 39 positions comes into shared memory by asynchronous copies; a thread has eight outputs.
// problem: depthwise-conv1d
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float tile[39][64];
    int first_d = blockIdx.x * 64, first_l = blockIdx.y * 32;
    size_t base = (size_t)blockIdx.z * L * D;
    int d = first_d + threadIdx.x;
    for (int row = threadIdx.y; row < 39; row += 4) {
        int l = first_l + row - 7;
        if (l >= 0 && l < L && d < D)
            __pipeline_memcpy_async(&tile[row][threadIdx.x], &x[base + (size_t)l * D + d], 4);
        else
            tile[row][threadIdx.x] = 0.0f;
    }
    __pipeline_commit();
    float taps[8], start = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        taps[k] = d < D && k < K ? weight[d * K + k] : 0.0f;
    if (d < D)
        start = bias[d];
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int row = threadIdx.y * 8; row < threadIdx.y * 8 + 8; row++) {
        float sum = start;
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += taps[k] * tile[row + 7 - k][threadIdx.x];
        if (d < D && first_l + row < L)
            output[base + (size_t)(first_l + row) * D + d] = sum;
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    convolve<<<dim3((D + 63) / 64, (L + 31) / 32, B), dim3(64, 4)>>>(x, weight, bias, output, L, D, K);
}
