// problem: @ID@
//
// shared tile: a block loads its tile of T = 256 elements and a halo of one on either side into shared memory once.
// Intensity: 6 T / (4 (2 T + 2)) operations per byte, close to 0.75.
#include <cuda_runtime.h>

const int TILE = 256;

__global__ void convolve(const float* input, const float* filter, float* output, int length)
{
    __shared__ float s_tile[TILE + 2];
    int first = blockIdx.x * TILE - 1;
    for (int j = threadIdx.x; j < TILE + 2; j += TILE) {
        int at = first + j;
        s_tile[j] = at >= 0 && at < length ? input[at] : 0.0f;
    }
    __syncthreads();

    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < length)
        output[i] = s_tile[threadIdx.x] * filter[0] + s_tile[threadIdx.x + 1] * filter[1] +
                    s_tile[threadIdx.x + 2] * filter[2];
}

extern "C" void solve(const float* input, const float* filter, float* output, int length)
{
    convolve<<<(length + TILE - 1) / TILE, TILE>>>(input, filter, output, length);
    cudaDeviceSynchronize();
}
