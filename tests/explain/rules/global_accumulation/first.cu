// expect: Accepted
// problem: conv2d
// advice: global_accumulation
// sketch: output[...] = sum; // once, after the loop
// The sum is kept in the output itself: each tap loads it from global memory and stores it again.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_rows,
                         int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    output[row * output_cols + col] = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            output[row * output_cols + col] += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 block(32, 8), grid((output_cols + 31) / 32, (output_rows + 7) / 8);
    convolve<<<grid, block>>>(input, kernel, output, input_cols, output_rows, output_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
