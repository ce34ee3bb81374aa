// A thread walks along all planes of one row and column, so that there are few threads with much work.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    for (int plane = 0; plane < input_depth - kernel_depth + 1; plane++) {
        float sum = 0.0f;
        for (int d = 0; d < kernel_depth; d++)
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                           kernel[(d * kernel_rows + r) * kernel_cols + s];
        output[(plane * output_rows + row) * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + 16) / 16, (input_rows - kernel_rows + 16) / 16);
    convolve<<<blocks, dim3(16, 16)>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                       kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
