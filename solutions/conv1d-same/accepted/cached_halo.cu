// problem: conv1d-same
//
// shared tile, halo left to the cache: a block loads only its own 256 elements into shared memory, one per thread. The
// elements to both sides are the tiles of other blocks, which load them at about the same time: they are read from
// global memory, and are likely found in the L2 cache. The load is simpler than one with a halo, the inner loop is not.
// Operations per byte read, for tile T and filter F < T: a share of about F / (4 T) of the inputs lies in a neighbour's
// tile, so 2 T F / (4 T + F F) beside the filter; with F beyond 2 T the tile hardly helps any more.
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 2047

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE];

    int tile_begin = blockIdx.x * TILE;
    // also right: halo: the place is taken for outside of the tile more often, so more is read from the input, which
    // holds the same
    int tile_end = min(tile_begin + TILE, width);
    int i = tile_begin + threadIdx.x;
    if (i < width)
        s_input[threadIdx.x] = input[i];
    __syncthreads();
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = first + k;
        // also right: `>=` to `>`, `j <` to `j + 1 <`: the place is taken for outside of the tile more often, so more
        // is read from the input, which holds the same
        if (j >= tile_begin && j < tile_end)
            sum += s_input[j - tile_begin] * c_filter[k];
        else if (j >= 0 && j < width)
            sum += input[j] * c_filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + TILE - 1) / TILE, TILE>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
