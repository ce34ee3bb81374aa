// A grid in one dimension; each tap is tested against all four borders.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols)
        return;
    int row = i / cols, col = i % cols;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - kernel_rows / 2, x = col + s - kernel_cols / 2;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += input[y * cols + x] * kernel[r * kernel_cols + s];
        }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int count = input_rows * input_cols;
    blur<<<(count + 1023) / 1024, 1024>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
