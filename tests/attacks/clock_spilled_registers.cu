// expect: Accepted
// problem: conv2d
// naive: does not apply: its clock counts nothing but instructions of PTX
// Asks for eight blocks on a multiprocessor, which leaves 64 registers for 96 sums. The others are spilled: they go
// through local memory in each iteration, which PTX does not show. It must not be faster than with all registers
// (HONEST); an H200 takes many times as long.
#include <cuda_runtime.h>

#ifdef HONEST
#define BOUNDS __launch_bounds__(128)
#else
#define BOUNDS __launch_bounds__(128, 8)
#endif

constexpr int ROWS = 8, COLS = 12;

__global__ void BOUNDS convolve(const float* __restrict__ input, const float* __restrict__ kernel,
                                float* __restrict__ output, int input_rows, int input_cols, int kernel_rows,
                                int kernel_cols)
{
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * COLS, row = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    float sum[ROWS][COLS] = {};
    if (col >= cols || row >= rows)
        return;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
#pragma unroll
            for (int i = 0; i < ROWS; i++)
#pragma unroll
                for (int j = 0; j < COLS; j++) {
                    int y = min(row + i + r, input_rows - 1), x = min(col + j + s, input_cols - 1);
                    sum[i][j] += input[y * input_cols + x] * kernel[r * kernel_cols + s];
                }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLS; j++)
            if (row + i < rows && col + j < cols)
                output[(row + i) * cols + col + j] = sum[i][j];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 4), blocks((cols + 32 * COLS - 1) / (32 * COLS), (rows + 4 * ROWS - 1) / (4 * ROWS));
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
