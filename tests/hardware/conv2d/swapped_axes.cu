// threadIdx.x counts rows: neighbours in a warp read and write elements a whole row apart.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int kernel_rows,
                         int kernel_cols, int output_rows, int output_cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
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
    dim3 threads(16, 16);
    dim3 blocks((output_rows + 15) / 16, (output_cols + 15) / 16);
    convolve<<<blocks, threads>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, output_rows,
                                  output_cols);
    cudaDeviceSynchronize();
}
