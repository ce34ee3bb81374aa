// A launch for each row of the filter adds that row's part to the output in global memory.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void add_row(const float* input, const float* taps, float* output, int input_cols, int kernel_cols,
                        int output_rows, int output_cols, int r)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = r == 0 ? 0.0f : output[row * output_cols + col];
    for (int s = 0; s < kernel_cols; s++)
        sum += input[(row + r) * input_cols + col + s] * taps[s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 threads(64, 4);
    dim3 blocks((output_cols + 63) / 64, (output_rows + 3) / 4);
    for (int r = 0; r < kernel_rows; r++)
        add_row<<<blocks, threads>>>(input, kernel + r * kernel_cols, output, input_cols, kernel_cols, output_rows,
                                     output_cols, r);
    cudaDeviceSynchronize();
}
