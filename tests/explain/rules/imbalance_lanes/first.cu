// expect: Accepted
// problem: gaussian-blur
// advice: imbalance_lanes
// case: 2
// sketch: // missing elements count as zeros
// A warp computes 40 columns: one turn with all of its lanes, and one in which 24 of them wait for the other 8.
#include <cuda_runtime.h>

#define THREADS_X 32
#define THREADS_Y 8
#define OUTPUTS 8
#define TILE_COLS 40
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define MAX_KERNEL 21

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL][MAX_KERNEL];
    __shared__ float s_input[TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    int first_row = blockIdx.y * TILE_ROWS;
    int first_col = blockIdx.x * TILE_COLS;
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS_Y)
        if (threadIdx.x < kernel_cols)
            s_kernel[r][threadIdx.x] = kernel[r * kernel_cols + threadIdx.x];
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += THREADS_Y)
        for (int s = threadIdx.x; s < TILE_COLS + kernel_cols - 1; s += THREADS_X) {
            int y = first_row + r - kernel_rows / 2;
            int x = first_col + s - kernel_cols / 2;
            bool inside = y >= 0 && y < input_rows && x >= 0 && x < input_cols;
            s_input[r][s] = inside ? input[y * input_cols + x] : 0.0f;
        }
    __syncthreads();

    int top = threadIdx.y * OUTPUTS;
    for (int x = threadIdx.x; x < TILE_COLS; x += THREADS_X) { // here
        float sum[OUTPUTS] = {0.0f};
        for (int s = 0; s < kernel_cols; s++) {
            float window[OUTPUTS]; // inputs r .. r + 7 of this thread's column
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = s_input[top + o][x + s];
#pragma unroll 8
            for (int r = 0; r < kernel_rows; r++) {
                window[OUTPUTS - 1] = s_input[top + r + OUTPUTS - 1][x + s];
                float tap = s_kernel[r][s];
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++)
                    sum[o] += window[o] * tap;
#pragma unroll
                for (int o = 0; o < OUTPUTS - 1; o++)
                    window[o] = window[o + 1];
            }
        }
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            if (first_row + top + o < input_rows && first_col + x < input_cols)
                output[(first_row + top + o) * input_cols + first_col + x] = sum[o];
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 blocks((input_cols + TILE_COLS - 1) / TILE_COLS, (input_rows + TILE_ROWS - 1) / TILE_ROWS);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
