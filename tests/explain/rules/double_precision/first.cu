// expect: Accepted
// problem: conv2d
// advice: double_precision
// Four outputs of a column in registers; the literal 1.0 makes every product a double.
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

    int first_row = blockIdx.y * TILE_ROWS;
    int first_col = blockIdx.x * THREADS_X;
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
                sum[o] += 1.0 * window[o] * tap;
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
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 blocks((output_cols + THREADS_X - 1) / THREADS_X, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
