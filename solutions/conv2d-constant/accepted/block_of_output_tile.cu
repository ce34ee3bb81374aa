// problem: conv2d-constant
//
// tile, block as large as the output tile: 32 x 16 threads load (32 + 2 radius) x (16 + 2 radius) elements together, up
// to three per thread, and then compute one output each. A warp is a row of 32 outputs, so that its loads from shared
// memory access 32 different banks, and its taps are the same.
// Operations per byte read, with F = 2 radius + 1: F^2 / 2 * 32 / (32 + 2 radius) * 16 / (16 + 2 radius), 3.8 with
// radius 1 and 48 with 8.
#include <cuda_runtime.h>

#define TILE_ROWS 16
#define TILE_COLS 32
#define MAX_RADIUS 8
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_input[TILE_ROWS + 2 * MAX_RADIUS][TILE_COLS + 2 * MAX_RADIUS];

    int first_row = blockIdx.x * TILE_ROWS - radius;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE_COLS - radius;
    for (int r = threadIdx.y; r < TILE_ROWS + 2 * radius; r += TILE_ROWS)
        for (int s = threadIdx.x; s < TILE_COLS + 2 * radius; s += TILE_COLS) {
            int y = first_row + r, x = first_col + s;
            bool on_image = y >= 0 && y < height && x >= 0 && x < width;
            s_input[r][s] = on_image ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    int row = blockIdx.x * TILE_ROWS + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * TILE_COLS + threadIdx.x;
    if (row >= height || col >= width)
        return;

    // also right: narrow index: a filter has at most 17 taps in a row, which fit into a short
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * c_filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1; // also right: narrow index: a filter has 17 columns at most, which fit into a short
    dim3 threads(TILE_COLS, TILE_ROWS);
    dim3 blocks((height + TILE_ROWS - 1) / TILE_ROWS, (width + TILE_COLS - 1) / TILE_COLS);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
