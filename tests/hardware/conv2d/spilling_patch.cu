// A patch of 8 x 8 outputs for each thread, with launch bounds that leave 32 registers: the sums are spilled.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024, 2) convolve(const float* input, const float* kernel, float* output,
                                                    int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    int row = (blockIdx.y * 32 + threadIdx.y) * 8, col = (blockIdx.x * 32 + threadIdx.x) * 8;
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    float sum[8][8] = {};
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            float tap = kernel[r * kernel_cols + s];
#pragma unroll
            for (int y = 0; y < 8; y++)
#pragma unroll
                for (int x = 0; x < 8; x++)
                    if (row + y < output_rows && col + x < output_cols)
                        sum[y][x] += input[(row + y + r) * input_cols + col + x + s] * tap;
        }
#pragma unroll
    for (int y = 0; y < 8; y++)
#pragma unroll
        for (int x = 0; x < 8; x++)
            if (row + y < output_rows && col + x < output_cols)
                output[(row + y) * output_cols + col + x] = sum[y][x];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + 256) / 256, (input_rows - kernel_rows + 256) / 256);
    convolve<<<blocks, dim3(32, 32)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
