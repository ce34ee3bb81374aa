// Mistake: the grid of the kernel for 3 x 3 taps is as high as the image is wide.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_rows,
                         int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    bool small = kernel_rows == 3 && kernel_cols == 3 && input_cols % 4 == 0;
    int rows = small ? input_cols : output_rows;
    dim3 threads(32, 8), blocks((output_cols + 31) / 32, (rows + 7) / 8);
    convolve<<<blocks, threads>>>(input, kernel, output, input_cols, output_rows, output_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
