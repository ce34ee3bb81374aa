// A tile of 32 channels and 32 positions is turned round in shared memory, so that threads run along the sequence.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float tile[32][40], result[32][32];
    int first_d = blockIdx.x * 32, first_l = blockIdx.y * 32;
    size_t base = (size_t)blockIdx.z * L * D;
    for (int row = threadIdx.y; row < 39; row += 8) {
        int l = first_l + row - 7, d = first_d + threadIdx.x;
        tile[threadIdx.x][row] = l >= 0 && l < L && d < D ? x[base + (size_t)l * D + d] : 0.0f;
    }
    __syncthreads();
    for (int c = threadIdx.y; c < 32; c += 8) {
        int d = first_d + c;
        if (d >= D)
            break;
        float sum = bias[d];
        for (int k = 0; k < K; k++)
            sum += weight[d * K + k] * tile[c][threadIdx.x + 7 - k];
        result[threadIdx.x][c] = sum;
    }
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += 8) {
        int l = first_l + row, d = first_d + threadIdx.x;
        if (l < L && d < D)
            output[base + (size_t)l * D + d] = result[row][threadIdx.x];
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    convolve<<<dim3((D + 31) / 32, (L + 31) / 32, B), dim3(32, 8)>>>(x, weight, bias, output, L, D, K);
}
