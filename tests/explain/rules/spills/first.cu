// expect: Accepted
// problem: conv2d
// advice: spills
// sketch: // without the least number of resident blocks
// sketch: // half as many OUTPUTS: each of them is one register per thread
// Sixteen blocks a multiprocessor are demanded of the compiler, so it has 32 registers a thread for 16 sums and 16
// inputs, and keeps the rest in local memory.
#include <cuda_runtime.h>

#define THREADS_Y 4
#define OUTPUTS 16 // of a thread
#define MAX_KERNEL 31

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL];

__global__ void __launch_bounds__(32 * THREADS_Y, 16)
convolve(const float* input, float* output, int input_rows, int input_cols, int kernel_rows,
                         int kernel_cols)
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
                    sum += input[(row + r) * input_cols + col + s] * c_kernel[r * kernel_cols + s];
            output[row * output_cols + col] = sum;
        }
        return;
    }

    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < kernel_cols; s++) {
        const float* column = input + row * input_cols + col + s;
        float window[OUTPUTS]; // inputs r .. r + 15 of this column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = column[o * input_cols];
#pragma unroll 16
        for (int r = 0; r < kernel_rows; r++) {
            window[OUTPUTS - 1] = column[(r + OUTPUTS - 1) * input_cols];
            float tap = c_kernel[r * kernel_cols + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
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
    dim3 threads(32, THREADS_Y);
    dim3 blocks((output_cols + 31) / 32, (output_rows + THREADS_Y * OUTPUTS - 1) / (THREADS_Y * OUTPUTS));
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
