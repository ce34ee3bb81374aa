// Mistake: loads one position of halo too few, so the oldest tap of the first position of a tile reads a zero.
// problem: depthwise-conv1d
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define CHANNELS 32
#define TILE 16 // positions of a block

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float s_x[TILE + MAX_TAPS - 1][CHANNELS];

    int d = blockIdx.x * CHANNELS + threadIdx.x;
    int begin = blockIdx.y * TILE;
    int l = begin + threadIdx.y;
    const float* sequence = x + blockIdx.z * L * D;
    s_x[MAX_TAPS - 1 + threadIdx.y][threadIdx.x] = l < L && d < D ? sequence[l * D + d] : 0.0f;
    if (threadIdx.y < MAX_TAPS - 1) {
        int back = MAX_TAPS - 1 - threadIdx.y; // how far before the tile
        bool halo = back < K - 1 && begin - back >= 0 && d < D;
        s_x[threadIdx.y][threadIdx.x] = halo ? sequence[(begin - back) * D + d] : 0.0f;
    }
    __syncthreads();
    if (l >= L || d >= D)
        return;

    float sum = bias[d];
    for (int k = 0; k < K; k++)
        sum += s_x[MAX_TAPS - 1 + threadIdx.y - k][threadIdx.x] * weight[d * K + k];
    output[(blockIdx.z * L + l) * D + d] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 blocks((D + CHANNELS - 1) / CHANNELS, (L + TILE - 1) / TILE, B);
    convolve<<<blocks, dim3(CHANNELS, TILE)>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
