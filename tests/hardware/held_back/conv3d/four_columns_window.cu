// A thread computes four neighbouring columns: it loads a window of eight inputs of each row, and slides in registers.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int input_depth, int input_rows, int input_cols, int kernel_depth, int kernel_rows,
                         int kernel_cols)
{
    __shared__ float taps[5][5][5];
    int thread = threadIdx.y * 16 + threadIdx.x;
    if (thread < 125)
        (&taps[0][0][0])[thread] = 0.0f;
    __syncthreads();
    if (thread < kernel_depth * kernel_rows * kernel_cols)
        taps[thread / kernel_cols / kernel_rows][thread / kernel_cols % kernel_rows][thread % kernel_cols] =
            kernel[thread];
    __syncthreads();
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int col = (blockIdx.x * 16 + threadIdx.x) * 4, row = blockIdx.y * 8 + threadIdx.y, plane = blockIdx.z;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++) {
            const float* from = input + ((plane + d) * input_rows + row + r) * input_cols;
            float window[8];
#pragma unroll
            for (int j = 0; j < 8; j++)
                window[j] = col + j < input_cols ? from[col + j] : 0.0f;
#pragma unroll
            for (int s = 0; s < 5; s++)
#pragma unroll
                for (int o = 0; o < 4; o++)
                    sum[o] += window[o + s] * taps[d][r][s];
        }
#pragma unroll
    for (int o = 0; o < 4; o++)
        if (col + o < output_cols)
            output[(plane * output_rows + row) * output_cols + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + 64) / 64, (input_rows - kernel_rows + 8) / 8,
                input_depth - kernel_depth + 1);
    convolve<<<blocks, dim3(16, 8)>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                      kernel_rows, kernel_cols);
}
