// expect: Accepted
// problem: conv2d
// advice: integer_division
// sketch: // r is the quotient, s the remainder
// One loop over all taps, whose row and column are the quotient and the remainder of their number.
#include <cuda_runtime.h>

#define OUTPUTS 4 // of a thread

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    if (row + OUTPUTS > output_rows) { // the last rows, one by one
        for (; row < output_rows; row++) {
            float sum = 0.0f;
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
            output[row * output_cols + col] = sum;
        }
        return;
    }

    float sum[OUTPUTS] = {0.0f};
    for (int t = 0; t < kernel_rows * kernel_cols; t++) {
        const float* under = input + (row + t / kernel_cols) * input_cols + col + t % kernel_cols; // here
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += under[o * input_cols] * kernel[t];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        output[(row + o) * output_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 8);
    dim3 blocks((output_cols + 31) / 32, (output_rows + 8 * OUTPUTS - 1) / (8 * OUTPUTS));
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
