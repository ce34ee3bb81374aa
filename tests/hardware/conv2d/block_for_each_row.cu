// One block of 256 threads for each row of the output.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int kernel_rows,
                         int kernel_cols, int output_cols)
{
    int row = blockIdx.x;
    for (int col = threadIdx.x; col < output_cols; col += blockDim.x) {
        float sum = 0.0f;
        for (int r = 0; r < kernel_rows; r++) {
            const float* from = input + (row + r) * input_cols + col;
            for (int s = 0; s < kernel_cols; s++)
                sum += from[s] * kernel[r * kernel_cols + s];
        }
        output[row * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    convolve<<<input_rows - kernel_rows + 1, 256>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols,
                                                    input_cols - kernel_cols + 1);
}
