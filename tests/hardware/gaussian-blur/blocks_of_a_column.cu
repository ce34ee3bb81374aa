// Blocks of 4 x 64 threads: a warp covers eight short pieces of rows.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols)
{
    int row = blockIdx.y * 64 + threadIdx.y, col = blockIdx.x * 4 + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    int up = kernel_rows / 2, back = kernel_cols / 2;
    float sum = 0.0f;
    for (int r = max(0, up - row); r < min(kernel_rows, rows + up - row); r++)
        for (int s = max(0, back - col); s < min(kernel_cols, cols + back - col); s++)
            sum += input[(row + r - up) * cols + col + s - back] * kernel[r * kernel_cols + s];
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols + 3) / 4, (input_rows + 63) / 64);
    blur<<<blocks, dim3(4, 64)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
