// Taps in constant memory; a thread keeps the sums of four planes, and takes each input once for all of them.
// problem: conv3d
#include <cuda_runtime.h>

__constant__ float c_kernel[125];

__global__ void convolve(const float* __restrict__ input, float* __restrict__ output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1, output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y, front = blockIdx.z * 4;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int z = 0; z < kernel_depth + 3 && front + z < input_depth; z++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++) {
                float value = input[((front + z) * input_rows + row + r) * input_cols + col + s];
#pragma unroll
                for (int o = 0; o < 4; o++)
                    if (z - o >= 0 && z - o < kernel_depth)
                        sum[o] += value * c_kernel[((z - o) * kernel_rows + r) * kernel_cols + s];
            }
#pragma unroll
    for (int o = 0; o < 4; o++)
        if (front + o < output_depth)
            output[((front + o) * output_rows + row) * output_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    cudaMemcpyToSymbolAsync(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice);
    dim3 blocks((input_cols - kernel_cols + 32) / 32, (input_rows - kernel_rows + 4) / 4,
                (input_depth - kernel_depth + 4) / 4);
    convolve<<<blocks, dim3(32, 4)>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                      kernel_cols);
}
