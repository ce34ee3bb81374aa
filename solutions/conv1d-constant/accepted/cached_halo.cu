// problem: conv1d-constant
//
// shared tile, halo left to the cache: a block loads its own 256 elements into shared memory, one per thread. Elements
// to both sides belong to the tiles of other blocks, and are read from global memory, where they are likely in a cache.
// Operations per byte read, for tile T and filter F < T: about F / (4 T) of the reads go to a neighbour's tile, so
// 2 T F / (4 T + F F), 43 operations per byte at best instead of 1/2.
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 127

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE];

    int tile_begin = blockIdx.x * TILE;
    int i = tile_begin + threadIdx.x;
    if (i < width)
        s_input[threadIdx.x] = input[i];
    __syncthreads();
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int end = min(filter_width, width - first);
    float sum = 0.0f;
    for (int k = max(0, -first); k < end; k++) {
        // also right: `k -` to `k +`: the place is outside of the tile more often, so more is read from the input,
        // which holds the same
        unsigned place = first + k - tile_begin; // left of the tile: very large
        sum += (place < TILE ? s_input[place] : input[first + k]) * c_filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + TILE - 1) / TILE, TILE>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
