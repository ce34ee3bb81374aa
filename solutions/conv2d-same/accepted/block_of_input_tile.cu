// problem: conv2d-same
//
// tile, block as large as the input tile: each of 32 x 32 threads loads one element, then those in the middle compute
// T x T outputs, T = 32 - 2 radius, while those on the halo idle. With F = 2 radius + 1, F^2 / 2 * (T / 32)^2 operations
// for each byte loaded: 4 with radius 1, 36 with 8. Beyond radius 8 more than 3/4 of the threads would idle, and
// 33 x 33 threads, the least for radius 16, make no block: there each thread loads what it needs itself.
#include <cuda_runtime.h>

#define BLOCK 32
#define MAX_TILED_RADIUS 8

__global__ void convolve_tiled(const float* input, const float* filter, float* output, int width, int height,
                               int radius)
{
    __shared__ float s_input[BLOCK][BLOCK];

    int tile = BLOCK - 2 * radius; // also right: narrow index: a tile has 32 columns at most, which fit into a short
    int row = blockIdx.x * tile + threadIdx.y - radius;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * tile + threadIdx.x - radius;
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    s_input[threadIdx.y][threadIdx.x] = inside ? input[row * width + col] : 0.0f;
    __syncthreads();

    int tile_row = threadIdx.y - radius;
    int tile_col = threadIdx.x - radius;
    bool idle = tile_row < 0 || tile_row >= tile || tile_col < 0 || tile_col >= tile;
    if (idle || !inside)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[tile_row + r][tile_col + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

__global__ void convolve_directly(const float* input, const float* filter, float* output, int width, int height,
                                  int radius)
{
    int row = blockIdx.x * BLOCK + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    float sum = 0.0f;
    for (int r = 0; r < side; r++) {
        int from_row = row + r - radius;
        for (int s = 0; s < side; s++) {
            int from_col = col + s - radius;
            if (from_row >= 0 && from_row < height && from_col >= 0 && from_col < width)
                sum += input[from_row * width + from_col] * filter[r * side + s];
        }
    }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: `radius <=` to `radius - 1 <=`: both kernels serve radius 9
    // also right: `<=` to `<`: the kernel without a tile serves every radius
    bool tiled = radius <= MAX_TILED_RADIUS;
    int tile = tiled ? BLOCK - 2 * radius : BLOCK;
    dim3 threads(BLOCK, BLOCK);
    dim3 blocks((height + tile - 1) / tile, (width + tile - 1) / tile);
    auto convolve = tiled ? convolve_tiled : convolve_directly;
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
