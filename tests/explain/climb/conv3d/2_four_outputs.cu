// expect: Accepted
// problem: conv3d
// advice: several_outputs
// A thread computes 4 outputs below one another. Going down a column of the filter, the 4 inputs under it stay in
// registers: one new input and one tap for 4 multiply-adds. Model: solutions/conv3d/accepted/register_tile.cu, by rows
#include <cuda_runtime.h>

#define OUTPUTS 4 // of a thread

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int plane = blockIdx.z;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    if (row + OUTPUTS > output_rows) { // the last rows, one by one
        for (; row < output_rows; row++) {
            float sum = 0.0f;
            for (int d = 0; d < kernel_depth; d++)
                for (int r = 0; r < kernel_rows; r++)
                    for (int s = 0; s < kernel_cols; s++)
                        sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                               kernel[(d * kernel_rows + r) * kernel_cols + s];
            output[(plane * output_rows + row) * output_cols + col] = sum;
        }
        return;
    }

    float sum[OUTPUTS] = {0.0f};
    for (int d = 0; d < kernel_depth; d++)
        for (int s = 0; s < kernel_cols; s++) {
            const float* column = input + ((plane + d) * input_rows + row) * input_cols + col + s;
            float window[OUTPUTS]; // inputs r .. r + 3 of this column
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = column[o * input_cols];
#pragma unroll 4
            for (int r = 0; r < kernel_rows; r++) {
                window[OUTPUTS - 1] = column[(r + OUTPUTS - 1) * input_cols];
                float tap = kernel[(d * kernel_rows + r) * kernel_cols + s];
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
        output[(plane * output_rows + row + o) * output_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 4);
    dim3 blocks((output_cols + 31) / 32, (output_rows + 4 * OUTPUTS - 1) / (4 * OUTPUTS), output_depth);
    convolve<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                  kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
