// problem: conv3d
//
// shared tile: a block of 32 x 4 x 4 threads loads the input that it needs once, together, into shared memory: its own
// elements and a halo of kernel size - 1 behind, below and to the right. In three dimensions the halo is large.
// Intensity of a tile of X x Y x Z outputs with K^3 taps: 2 K^3 XYZ / (4 ((X + K - 1) (Y + K - 1) (Z + K - 1) + XYZ))
// operations per byte: 11.4 for K = 5, 4.0 for K = 3.
#include <cuda_runtime.h>

#define TILE_COLS 32
#define TILE_ROWS 4
#define TILE_DEPTH 4
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    __shared__ float s_input[TILE_DEPTH + MAX_KERNEL - 1][TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_plane = blockIdx.z * TILE_DEPTH;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
    int tile_depth = min(TILE_DEPTH + kernel_depth - 1, input_depth - first_plane);
    int tile_rows = min(TILE_ROWS + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE_COLS + kernel_cols - 1, input_cols - first_col);
    for (int d = threadIdx.z; d < tile_depth; d += TILE_DEPTH)
        for (int r = threadIdx.y; r < tile_rows; r += TILE_ROWS)
            for (int s = threadIdx.x; s < tile_cols; s += TILE_COLS)
                s_input[d][r][s] =
                    input[((first_plane + d) * input_rows + first_row + r) * input_cols + first_col + s];
    __syncthreads();

    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int plane = first_plane + threadIdx.z;
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (plane >= output_depth || row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    const float* tap = c_kernel;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += s_input[threadIdx.z + d][threadIdx.y + r][threadIdx.x + s] * *tap++;
    output[(plane * output_rows + row) * output_cols + col] = sum;
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

    dim3 threads(TILE_COLS, TILE_ROWS, TILE_DEPTH);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the output store nothing
    dim3 blocks((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS,
                // also right: swapped axes: blocks beyond the output store nothing
                (output_depth + TILE_DEPTH - 1) / TILE_DEPTH);
    convolve<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols);
    cudaDeviceSynchronize();
}
