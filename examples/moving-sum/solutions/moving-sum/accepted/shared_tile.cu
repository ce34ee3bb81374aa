// problem: moving-sum
//
// shared tile: a block loads its T = 256 elements and the halo on both sides once; ghost cells are zeros in the tile.
// Intensity: (2 radius + 1) T / (4 (2 T + 2 radius)) operations a byte, 3.9 for the largest radius.
#include <cuda_runtime.h>

#define TILE 256
#define MAX_RADIUS 16

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    __shared__ float tile[TILE + 2 * MAX_RADIUS];
    int first = blockIdx.x * TILE, i = first + threadIdx.x;
    for (int k = threadIdx.x; k < TILE + 2 * radius; k += TILE) {
        int j = first + k - radius;
        tile[k] = j >= 0 && j < length ? input[j] : 0.0f;
    }
    __syncthreads();
    if (i >= length)
        return;

    float sum = 0.0f;
    for (int k = 0; k <= 2 * radius; k++)
        sum += tile[threadIdx.x + k];
    output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    moving_sum<<<(length + TILE - 1) / TILE, TILE>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
