// expect: Accepted
// problem: gaussian-blur
// advice: serial_launches
// case: 3
// sketch: add_tap<<<blocks, threads>>>(...); // once, without the loop around it
// sketch: float sum = ...; // in the kernel: the value that the first launch stores
// Adds one tap of the filter to all outputs per launch, and each launch waits for the one before.
#include <cuda_runtime.h>

__global__ void add_tap(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                        int kernel_rows, int kernel_cols, int r, int s)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;
    int y = row + r - kernel_rows / 2, x = col + s - kernel_cols / 2;
    bool inside = y >= 0 && y < input_rows && x >= 0 && x < input_cols;
    float before = r == 0 && s == 0 ? 0.0f : output[row * input_cols + col];
    output[row * input_cols + col] = before + (inside ? input[y * input_cols + x] * kernel[r * kernel_cols + s] : 0.0f);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 block(32, 8), grid((input_cols + 31) / 32, (input_rows + 7) / 8);
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            add_tap<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols, r, s);
    cudaDeviceSynchronize();
}
