// problem: conv2d
//
// register tile: a thread computes 4 outputs below one another. Going down a column of the filter, the 4 inputs under
// it are in registers, and each step loads one new input and one tap for 4 multiply-adds: half a load each.
// Unrolled by four, the window rotates within the same registers instead of being moved.
// Intensity with R x S taps and a tile of 32 x 32: R S / 2 * 32 / (32 + R - 1) * 32 / (32 + S - 1) operations per byte
// of input, 54 with 15 x 15 taps and 4.0 with 3 x 3.
#include <cuda_runtime.h>

#define THREADS_X 32
#define THREADS_Y 8
#define OUTPUTS 4
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define MAX_KERNEL 31

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL][MAX_KERNEL];
    __shared__ float s_input[TILE_ROWS + MAX_KERNEL - 1][THREADS_X + MAX_KERNEL - 1];

    // also right: narrow index: there are 4096 rows at most, which fit into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int first_col = blockIdx.x * THREADS_X;
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS_Y)
        // also right: `+=` to `=`: a block is as wide as a filter can be, so that no thread loads a second column
        for (int s = threadIdx.x; s < kernel_cols; s += THREADS_X)
            s_kernel[r][s] = kernel[r * kernel_cols + s];
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += THREADS_Y)
        for (int s = threadIdx.x; s < THREADS_X + kernel_cols - 1; s += THREADS_X) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            // also right: `: 0.0f` to `: 1`: what lies beyond the input belongs to outputs that are not stored
            s_input[r][s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
    __syncthreads();

    int top = threadIdx.y * OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < kernel_cols; s++) {
        float window[OUTPUTS]; // inputs r .. r + 3 of this thread's column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = s_input[top + o][threadIdx.x + s];
#pragma unroll 4
        for (int r = 0; r < kernel_rows; r++) {
            window[OUTPUTS - 1] = s_input[top + r + OUTPUTS - 1][threadIdx.x + s];
            float tap = s_kernel[r][s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = first_row + top;
    int col = first_col + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < output_rows && col < output_cols)
            output[(row + o) * output_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row or column store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last row or column store nothing
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(THREADS_X, THREADS_Y);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the last row or column
    // store nothing
    dim3 blocks((output_cols + THREADS_X - 1) / THREADS_X, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
