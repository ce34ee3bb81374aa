// Inner outputs are computed without tests, and a second launch with tests does the frame around them.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void inside(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                       int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y + kernel_rows / 2;
    int col = blockIdx.x * blockDim.x + threadIdx.x + kernel_cols / 2;
    if (row >= rows - kernel_rows / 2 || col >= cols - kernel_cols / 2)
        return;
    const float* from = input + (row - kernel_rows / 2) * cols + col - kernel_cols / 2;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += from[r * cols + s] * kernel[r * kernel_cols + s];
    output[row * cols + col] = sum;
}

__global__ void frame(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                      int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    int up = kernel_rows / 2, back = kernel_cols / 2;
    if (row >= rows || col >= cols || (row >= up && row < rows - up && col >= back && col < cols - back))
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - up, x = col + s - back;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += input[y * cols + x] * kernel[r * kernel_cols + s];
        }
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(32, 8), blocks((input_cols + 31) / 32, (input_rows + 7) / 8);
    inside<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    frame<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
