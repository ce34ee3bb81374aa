// expect: Accepted
// problem: conv2d
// advice: serial_launches
// case: 2
// sketch: // blockIdx.y replaces the counter of the loop around the launch
// A launch for each row of the output, of sixteen blocks.
#include <cuda_runtime.h>

__global__ void one_row(const float* input, const float* kernel, float* output, int input_cols, int cols, int kernel_rows,
                        int kernel_cols, int row)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    for (int row = 0; row < rows; row++)
        one_row<<<(cols + 255) / 256, 256>>>(input, kernel, output, input_cols, cols, kernel_rows, // here
                                             kernel_cols, row);
    cudaDeviceSynchronize();
}
