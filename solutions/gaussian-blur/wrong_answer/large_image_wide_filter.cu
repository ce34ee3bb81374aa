// Mistake: leaves out the last row of a filter of 11 to 19 rows where the image has a quarter of a million elements.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    bool wide = kernel_rows > 10 && kernel_rows < 20;
    int rows = wide && input_rows * input_cols > 250000 ? kernel_rows - 1 : kernel_rows;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
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
