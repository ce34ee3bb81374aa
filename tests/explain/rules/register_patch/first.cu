// expect: Accepted
// problem: conv2d
// advice: register_patch
// case: 1
// sketch: // TAPS is a compile-time constant
// sketch: // fill window[] from row r of the tile, as float4
// sketch: if (r >= o && r - o < TAPS) // tap s of row r - o of `window`, for all s
// sketch: for (int c = 0; c < 8; c++) sum[o][c] += window[s + c] * tap;
// sketch: // rows of outputs; unroll all loops
// 8 outputs a thread, below one another: each step loads an input and a tap for 8 multiply-adds.
#include <cuda_runtime.h>

constexpr int THREADS_X = 32, THREADS_Y = 8, OUTPUTS = 8, TILE_ROWS = THREADS_Y * OUTPUTS, MOST = 31;

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MOST][MOST], s_input[TILE_ROWS + MOST - 1][THREADS_X + MOST - 1];
    int first_row = blockIdx.y * TILE_ROWS, first_col = blockIdx.x * THREADS_X;
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS_Y)
        for (int s = threadIdx.x; s < kernel_cols; s += THREADS_X)
            s_kernel[r][s] = kernel[r * kernel_cols + s];
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += THREADS_Y)
        for (int s = threadIdx.x; s < THREADS_X + kernel_cols - 1; s += THREADS_X) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            s_input[r][s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
    __syncthreads();

    int top = threadIdx.y * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < kernel_cols; s++) {
        float window[OUTPUTS];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = s_input[top + o][threadIdx.x + s];
#pragma unroll 8
        for (int r = 0; r < kernel_rows; r++) {
            window[OUTPUTS - 1] = s_input[top + r + OUTPUTS - 1][threadIdx.x + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * s_kernel[r][s]; // here
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }
    int row = first_row + top, col = first_col + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o <= input_rows - kernel_rows && col <= input_cols - kernel_cols)
            output[(row + o) * (input_cols - kernel_cols + 1) + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 blocks((output_cols + THREADS_X - 1) / THREADS_X, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
