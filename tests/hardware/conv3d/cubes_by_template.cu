// Filters of 3 x 3 x 3 and 5 x 5 x 5 have kernels of their own, unrolled as a whole, with taps in registers.
// problem: conv3d
#include <cuda_runtime.h>

template <int SIDE>
__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int input_depth, int input_rows, int input_cols, int kernel_depth, int kernel_rows,
                         int kernel_cols)
{
    if (SIDE != 0)
        kernel_depth = kernel_rows = kernel_cols = SIDE;
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= output_rows || col >= output_cols)
        return;
    int planes = input_depth - kernel_depth + 1, step = (planes + gridDim.z - 1) / gridDim.z;
    for (int plane = blockIdx.z * step; plane < min(planes, (int)(blockIdx.z + 1) * step); plane++) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < kernel_depth; d++)
#pragma unroll
            for (int r = 0; r < kernel_rows; r++)
#pragma unroll
                for (int s = 0; s < kernel_cols; s++)
                    sum += __ldg(&input[((plane + d) * input_rows + row + r) * input_cols + col + s]) *
                           __ldg(&kernel[(d * kernel_rows + r) * kernel_cols + s]);
        output[(plane * output_rows + row) * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 threads(32, 8), blocks((input_cols - kernel_cols + 32) / 32, (input_rows - kernel_rows + 8) / 8, 32);
    bool is_cube = kernel_depth == kernel_rows && kernel_rows == kernel_cols;
    auto function = is_cube && kernel_depth == 3   ? convolve<3>
                    : is_cube && kernel_depth == 5 ? convolve<5>
                                                   : convolve<0>;
    function<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols);
}
