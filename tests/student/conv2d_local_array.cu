// expect: Accepted
// problem: conv2d
// Each thread computes 8 outputs of a column. Their sums are in an array with a computed index, so in local memory.
#include <cuda_runtime.h>

#define DOWN 8

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * DOWN;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (top >= output_rows || col >= output_cols)
        return;

    float sums[DOWN];
    int rows = output_rows - top < DOWN ? output_rows - top : DOWN;
    for (int o = 0; o < rows; o++)
        sums[o] = 0.0f;
    for (int r = 0; r < rows + kernel_rows - 1; r++) {
        int begin = r - kernel_rows + 1 < 0 ? 0 : r - kernel_rows + 1;
        for (int s = 0; s < kernel_cols; s++) {
            float value = input[(top + r) * input_cols + col + s];
            for (int o = begin; o <= r && o < rows; o++)
                sums[o] += value * kernel[(r - o) * kernel_cols + s];
        }
    }
    for (int o = 0; o < rows; o++)
        output[(top + o) * output_cols + col] = sums[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 threads(64, 2);
    dim3 blocks((output_cols + 63) / 64, (output_rows + 2 * DOWN - 1) / (2 * DOWN));
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
