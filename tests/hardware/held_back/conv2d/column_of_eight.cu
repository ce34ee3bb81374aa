// A thread computes eight outputs of a column, and takes each input once for all of them.
// problem: conv2d
#include <cuda_runtime.h>

#define EACH 8

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    extern __shared__ float taps[];
    for (int k = threadIdx.x; k < kernel_rows * kernel_cols; k += blockDim.x)
        taps[k] = kernel[k];
    __syncthreads();
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * EACH;
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    if (col >= output_cols)
        return;
    float sum[EACH] = {0.0f};
    for (int y = 0; y < EACH + kernel_rows - 1 && first + y < input_rows; y++)
        for (int s = 0; s < kernel_cols; s++) {
            float value = input[(first + y) * input_cols + col + s];
#pragma unroll
            for (int o = 0; o < EACH; o++)
                if (y >= o && y - o < kernel_rows)
                    sum[o] += value * taps[(y - o) * kernel_cols + s];
        }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (first + o < output_rows)
            output[(first + o) * output_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 blocks((output_cols + 127) / 128, (output_rows + EACH - 1) / EACH);
    convolve<<<blocks, 128, kernel_rows * kernel_cols * sizeof(float)>>>(input, kernel, output, input_rows, input_cols,
                                                                         kernel_rows, kernel_cols);
}
