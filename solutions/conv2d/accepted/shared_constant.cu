// problem: conv2d
//
// shared tile and constant filter: the two techniques together, with blocks of 32 x 32 threads so that the halo is a
// smaller part of what is loaded. A warp is a row of 32 outputs, so its loads from shared memory meet 32 different banks.
// Intensity with R x S taps and a tile of 32 x 32: R S / 2 * 32 / (32 + R - 1) * 32 / (32 + S - 1) operations per byte
// of input, 54 with 15 x 15 taps and 4.0 with 3 x 3.
#include "solve.h"
#include <cuda_runtime.h>

#define TILE 32
#define MAX_KERNEL 31

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_rows, int input_cols, int kernel_rows,
                         int kernel_cols)
{
    __shared__ float s_input[TILE + MAX_KERNEL - 1][TILE + MAX_KERNEL - 1];

    int first_row = blockIdx.y * TILE; // also right: narrow index: there are 4096 rows at most, which fit into a short
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int first_col = blockIdx.x * TILE;
    int tile_rows = min(TILE + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE + kernel_cols - 1, input_cols - first_col);
    for (int r = threadIdx.y; r < tile_rows; r += TILE)
        for (int s = threadIdx.x; s < tile_cols; s += TILE)
            s_input[r][s] = input[(first_row + r) * input_cols + first_col + s];
    __syncthreads();

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * c_kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows,
           int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row end at once
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last row or column store nothing
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(TILE, TILE);
    // also right: `output_cols` to `input_cols`: blocks beyond the last row or column store nothing
    // also right: `output_rows` to `input_rows`: blocks beyond the last row end at once
    dim3 blocks((output_cols + TILE - 1) / TILE, (output_rows + TILE - 1) / TILE);
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
