// expect: Accepted
// problem: conv2d
// im2col: writes the patch under each output as a column of a matrix, some rows at a time, then multiplies them.
#include <cuda_runtime.h>

#define SCRATCH_FLOATS (1 << 24)

__global__ void im2col(const float* input, float* matrix, int input_cols, int output_cols, int kernel_cols,
                       int first_row, int rows)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int tap = blockIdx.y;
    int columns = rows * output_cols;
    if (column >= columns)
        return;
    int row = first_row + column / output_cols + tap / kernel_cols;
    int col = column % output_cols + tap % kernel_cols;
    matrix[tap * columns + column] = input[row * input_cols + col];
}

__global__ void row_times_matrix(const float* filter, const float* matrix, float* output, int taps, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0.0f;
    for (int tap = 0; tap < taps; tap++)
        sum += filter[tap] * matrix[tap * columns + column];
    output[column] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int taps = kernel_rows * kernel_cols;
    int rows_at_once = SCRATCH_FLOATS / (taps * output_cols);
    float* matrix;
    cudaMalloc(&matrix, SCRATCH_FLOATS * sizeof(float));
    for (int row = 0; row < output_rows; row += rows_at_once) {
        int rows = min(rows_at_once, output_rows - row), columns = rows * output_cols;
        int blocks = (columns + 255) / 256;
        im2col<<<dim3(blocks, taps), 256>>>(input, matrix, input_cols, output_cols, kernel_cols, row, rows);
        row_times_matrix<<<blocks, 256>>>(kernel, matrix, output + row * output_cols, taps, columns);
    }
    cudaFree(matrix);
}
