// problem: gaussian-blur
//
// naive: one thread computes one output, straight from global memory.
// 2 operations for 2 loads of 4 bytes, 0.25 operations per byte, for every filter. The caches catch most of the loads,
// so the load units are the limit.
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    // also right: `.y` to `.x`: a block is as tall as wide
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    // also right: `.x` to `.y`: a block is as tall as wide
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - kernel_rows / 2;
            int x = col + s - kernel_cols / 2;
            if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                sum += input[y * input_cols + x] * kernel[r * kernel_cols + s];
        }
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(16, 16);
    dim3 blocks((input_cols + 15) / 16, (input_rows + 15) / 16);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
