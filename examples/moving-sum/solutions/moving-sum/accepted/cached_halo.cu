// problem: moving-sum
//
// cached halo: a block keeps its own 256 elements in shared memory, and finds the neighbours' in a cache.
// Intensity: about 2 radius + 1 operations for 2 elements moved, (2 radius + 1) / 8 operations a byte.
#include <cuda_runtime.h>

#define TILE 256

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    __shared__ float tile[TILE];
    int first = blockIdx.x * TILE, i = first + threadIdx.x;
    if (i < length)
        tile[threadIdx.x] = input[i];
    __syncthreads();
    if (i >= length)
        return;

    float sum = 0.0f;
    for (int j = max(i - radius, 0); j <= min(i + radius, length - 1); j++)
        sum += j >= first && j < first + TILE ? tile[j - first] : input[j];
    output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    moving_sum<<<(length + TILE - 1) / TILE, TILE>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
