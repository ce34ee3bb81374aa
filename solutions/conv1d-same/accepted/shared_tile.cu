// problem: conv1d-same
//
// shared tile with full halo: a block loads its 256 elements and the radius on either side once, together, into shared
// memory. Ghost cells are stored as zeros there, so that the inner loop has no test left.
// Operations per byte read, for tile T and filter F: T F / (2 (T + F - 1)) beside the filter, which is read F / 2 for a
// narrow and T / 2 for a wide filter. The filter itself still comes from global memory, one load per multiply-add.
#include <cuda_runtime.h>

#define TILE 256

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    extern __shared__ float s_input[]; // TILE + filter_width - 1 elements

    int first = blockIdx.x * TILE - filter_width / 2;
    for (int j = threadIdx.x; j < TILE + filter_width - 1; j += TILE)
        s_input[j] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f;
    __syncthreads();

    int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += s_input[threadIdx.x + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int blocks = (width + TILE - 1) / TILE;
    // also right: narrow index: as many bytes of shared memory fit into an int
    // also right: `filter_width - 1` to `filter_width`, `filter_width -` to `filter_width +`: this is more shared
    // memory than needed, and still less than 48 KiB
    size_t shared_bytes = (TILE + filter_width - 1) * sizeof(float);
    convolve<<<blocks, TILE, shared_bytes>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
