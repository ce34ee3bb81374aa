// A launch for each plane of the output, of blocks of 16 x 16.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[(d * input_rows + row + r) * input_cols + col + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    for (int plane = 0; plane < input_depth - kernel_depth + 1; plane++)
        convolve<<<blocks, dim3(16, 16)>>>(input + plane * input_rows * input_cols, kernel,
                                           output + plane * output_rows * output_cols, input_rows, input_cols,
                                           kernel_depth, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
