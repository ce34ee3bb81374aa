// A grid in one dimension of blocks of 512; plane, row and column come from divisions.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols, int output_rows, int output_cols,
                         int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int plane = i / (output_rows * output_cols);
    int row = i / output_cols % output_rows;
    int col = i % output_cols;
    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int count = (input_depth - kernel_depth + 1) * output_rows * output_cols;
    convolve<<<(count + 511) / 512, 512>>>(input, kernel, output, input_rows, input_cols, kernel_depth, kernel_rows,
                                           kernel_cols, output_rows, output_cols, count);
}
