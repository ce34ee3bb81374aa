// Mistake: in the kernel for filters beyond radius 8, the row is a short, which holds at most 32,767.
// expect: Run-Time Error, Wrong Answer
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define BLOCK 32
#define MAX_TILED_RADIUS 8

__global__ void convolve_tiled(const float* input, const float* filter, float* output, int width, int height,
                               int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    __shared__ float s_input[BLOCK][BLOCK];

    int tile = BLOCK - 2 * radius;
    int row = blockIdx.x * tile + threadIdx.y - radius;
    int col = blockIdx.y * tile + threadIdx.x - radius;
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    s_input[threadIdx.y][threadIdx.x] = inside ? input[row * width + col] : 0.0f;
    __syncthreads();

    int tile_row = threadIdx.y - radius;
    int tile_col = threadIdx.x - radius;
    bool idle = tile_row < 0 || tile_row >= tile || tile_col < 0 || tile_col >= tile;
    if (idle || !inside)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[tile_row + r][tile_col + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

__global__ void convolve_directly(const float* input, const float* filter, float* output, int width, int height,
                                  int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    short row = blockIdx.x * BLOCK + threadIdx.y;
    int col = blockIdx.y * BLOCK + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
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
    bool tiled = radius <= MAX_TILED_RADIUS;
    int tile = tiled ? BLOCK - 2 * radius : BLOCK;
    dim3 threads(BLOCK, BLOCK);
    dim3 blocks((height + tile - 1) / tile, (width + tile - 1) / tile, 3);
    auto convolve = tiled ? convolve_tiled : convolve_directly;
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
