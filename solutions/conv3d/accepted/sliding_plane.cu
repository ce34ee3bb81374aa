// problem: conv3d
//
// sliding plane: a block computes a tile of 32 x 8 outputs in several planes, one plane after the other. Shared memory
// holds as many planes of the input as the filter is deep; each step loads one plane in the place of the oldest, so
// there is no halo in depth but once at the beginning.
// Intensity of T x U outputs per plane with K^3 taps: 2 K^3 TU / (4 ((T + K - 1) (U + K - 1) + TU)) operations per
// byte: 23.3 for K = 5, 5.8 for K = 3.
#include <algorithm>
#include <cuda_runtime.h>

#define TILE_COLS 32
#define TILE_ROWS 8
#define BLOCKS 1024
#define MIN_PLANES 8
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols, int planes)
{
    __shared__ float s_planes[MAX_KERNEL][TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_plane = blockIdx.z * planes;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
    int tile_rows = min(TILE_ROWS + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE_COLS + kernel_cols - 1, input_cols - first_col);
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;

    // also right: `min(first_plane + planes + kernel_depth - 1, input_depth)` to `(input_depth)`: each block goes on to
    // the last plane and stores once more what those behind it store: slow, but right
    // also right: `kernel_depth - 1` to `kernel_depth`: the first plane of the next block is computed twice, with the
    // same result
    // also right: `kernel_depth -` to `kernel_depth +`: the first two planes of the next block are computed twice, with
    // the same result
    int end = min(first_plane + planes + kernel_depth - 1, input_depth);
    for (int z = first_plane; z < end; z++) {
        for (int r = threadIdx.y; r < tile_rows; r += TILE_ROWS)
            for (int s = threadIdx.x; s < tile_cols; s += TILE_COLS)
                s_planes[z % kernel_depth][r][s] = input[(z * input_rows + first_row + r) * input_cols + first_col + s];
        __syncthreads();

        int plane = z - kernel_depth + 1; // the output whose last plane of input has come
        if (plane >= first_plane && row < output_rows && col < output_cols) {
            float sum = 0.0f;
            const float* tap = c_kernel;
            for (int d = 0; d < kernel_depth; d++) {
                int slot = (plane + d) % kernel_depth;
                for (int r = 0; r < kernel_rows; r++)
                    for (int s = 0; s < kernel_cols; s++)
                        sum += s_planes[slot][threadIdx.y + r][threadIdx.x + s] * *tap++;
            }
            output[(plane * output_rows + row) * output_cols + col] = sum;
        }
        __syncthreads(); // nobody reads the oldest plane any more
    }
}

// Planes that a block computes: the more, the fewer are loaded twice; but a large GPU wants several thousand blocks.
static int planes_of_a_block(int tiles, int output_depth)
{
    // also right: halo, floor for ceil: the number of planes that a block computes changes the time, not the outputs
    int parts = (BLOCKS + tiles - 1) / tiles;
    // also right: `max(` to `min(`, halo, floor for ceil, `) /` to `) %`: the number of planes that a block computes
    // changes the time, not the outputs
    return std::max((output_depth + parts - 1) / parts, MIN_PLANES);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    // also right: `input_depth -` to `input_depth +`: blocks beyond the output store nothing
    int output_depth = input_depth - kernel_depth + 1;
    // also right: `input_rows -` to `input_rows +`: blocks beyond the output store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the output store nothing
    int output_cols = input_cols - kernel_cols + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);

    dim3 threads(TILE_COLS, TILE_ROWS);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the output store nothing
    dim3 tiles((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    // also right: narrow index: no side is longer than 256, which fits into a short
    // also right: swapped axes: the number of planes that a block computes changes the time, not the outputs
    int planes = planes_of_a_block(tiles.x * tiles.y, output_depth);
    // also right: `output_depth` to `input_depth`: blocks beyond the output store nothing
    dim3 blocks(tiles.x, tiles.y, (output_depth + planes - 1) / planes);
    convolve<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols, planes);
    cudaDeviceSynchronize();
}
