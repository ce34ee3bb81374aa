// A grid of 8 x 8 blocks of 1024 threads, each with a 64th of the image: half of the multiprocessors have none.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int height = (output_rows + 7) / 8, width = (output_cols + 7) / 8;
    int bottom = min(output_rows, (int)(blockIdx.y + 1) * height),
        right = min(output_cols, (int)(blockIdx.x + 1) * width);
    for (int row = blockIdx.y * height + threadIdx.y; row < bottom; row += 32)
        for (int col = blockIdx.x * width + threadIdx.x; col < right; col += 32) {
            float sum = 0.0f;
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
            output[row * output_cols + col] = sum;
        }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    convolve<<<dim3(8, 8), dim3(32, 32)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
