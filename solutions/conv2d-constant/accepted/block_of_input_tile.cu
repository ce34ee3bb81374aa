// problem: conv2d-constant
//
// tile, block as large as the input tile: each of 32 x 32 threads loads one element into shared memory, then those in
// the middle compute T x T outputs, T = 32 - 2 radius, while those on the halo idle: 3/4 of them with radius 8.
// Operations per byte read, with F = 2 radius + 1: F^2 / 2 * (T / 32)^2, 4 with radius 1 and 36 with 8.
#include <cuda_runtime.h>

#define BLOCK 32
#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_input[BLOCK][BLOCK];

    int tile = BLOCK - 2 * radius; // also right: narrow index: a tile has 32 columns at most, which fit into a short
    int row = blockIdx.x * tile + threadIdx.y - radius;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * tile + threadIdx.x - radius;
    bool on_image = row >= 0 && row < height && col >= 0 && col < width;
    s_input[threadIdx.y][threadIdx.x] = on_image ? input[row * width + col] : 0.0f;
    __syncthreads();

    int upper = threadIdx.y - radius; // corner of the window of this thread
    int left = threadIdx.x - radius;
    if (!on_image || upper < 0 || upper >= tile || left < 0 || left >= tile)
        return;

    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[upper + r][left + s] * c_filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    int tile = BLOCK - 2 * radius; // also right: narrow index: a tile has 32 columns at most, which fit into a short
    dim3 threads(BLOCK, BLOCK);
    dim3 blocks((height + tile - 1) / tile, (width + tile - 1) / tile);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
