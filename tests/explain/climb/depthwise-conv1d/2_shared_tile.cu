// expect: Accepted
// problem: depthwise-conv1d
// advice: reread
// A block loads the elements of 32 channels at 8 positions, and those before them that the taps reach, into shared
// memory once, and its channels' weights. Model: solutions/depthwise-conv1d/accepted/naive.cu, with a tile
#include <cuda_runtime.h>

#define MAX_TAPS 8
#define CHANNELS 32
#define POSITIONS 8

__global__ void convolve(const float* x, const float* weight, const float* bias, float* output, int L, int D, int K)
{
    __shared__ float s_x[MAX_TAPS - 1 + POSITIONS][CHANNELS];
    __shared__ float s_weight[MAX_TAPS][CHANNELS];

    int d = blockIdx.x * CHANNELS + threadIdx.x;
    int first = blockIdx.y * POSITIONS;
    const float* sequence = x + blockIdx.z * L * D;
    for (int j = threadIdx.y; j < POSITIONS + K - 1; j += POSITIONS) {
        int l = first + j - (K - 1);
        s_x[j][threadIdx.x] = d < D && l >= 0 && l < L ? sequence[l * D + d] : 0.0f;
    }
    if (threadIdx.y < K)
        s_weight[threadIdx.y][threadIdx.x] = d < D ? weight[d * K + threadIdx.y] : 0.0f;
    __syncthreads();

    int l = first + threadIdx.y;
    if (d >= D || l >= L)
        return;
    float sum = bias[d];
    for (int k = 0; k < K; k++)
        sum += s_x[threadIdx.y + K - 1 - k][threadIdx.x] * s_weight[k][threadIdx.x];
    output[(blockIdx.z * L + l) * D + d] = sum;
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    dim3 threads(CHANNELS, POSITIONS);
    dim3 blocks((D + CHANNELS - 1) / CHANNELS, (L + POSITIONS - 1) / POSITIONS, B);
    convolve<<<blocks, threads>>>(x, weight, bias, output, L, D, K);
    cudaDeviceSynchronize();
}
