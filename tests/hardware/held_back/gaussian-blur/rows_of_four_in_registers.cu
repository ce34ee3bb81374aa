// A thread computes four neighbouring columns of one row: a window in registers slides along each row of the filter.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                     int rows, int cols, int kernel_rows, int kernel_cols)
{
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols)
        return;
    int up = kernel_rows / 2, first = col - kernel_cols / 2;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int r = max(0, up - row); r < min(kernel_rows, rows + up - row); r++) {
        const float* from = input + (row + r - up) * cols;
        float window[4];
#pragma unroll
        for (int j = 0; j < 3; j++)
            window[j] = first + j >= 0 && first + j < cols ? from[first + j] : 0.0f;
        for (int s = 0; s < kernel_cols; s++) {
            int next = first + s + 3;
            window[3] = next >= 0 && next < cols ? from[next] : 0.0f;
            float tap = kernel[r * kernel_cols + s];
#pragma unroll
            for (int o = 0; o < 4; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int j = 0; j < 3; j++)
                window[j] = window[j + 1];
        }
    }
#pragma unroll
    for (int o = 0; o < 4; o++)
        if (col + o < cols)
            output[row * cols + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols + 127) / 128, (input_rows + 7) / 8);
    blur<<<blocks, dim3(32, 8)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
