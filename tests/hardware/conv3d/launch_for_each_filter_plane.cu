// A launch for each plane of the filter adds to the output, with atomic additions whose result nobody uses.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void add_plane(const float* input, const float* taps, float* output, int input_rows, int input_cols,
                          int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, plane = blockIdx.z;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(plane * input_rows + row + r) * input_cols + col + s] * taps[r * kernel_cols + s];
    atomicAdd(&output[(plane * output_rows + row) * output_cols + col], sum);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int planes = input_depth - kernel_depth + 1;
    cudaMemset(output, 0, sizeof(float) * planes * output_rows * output_cols);
    dim3 blocks((output_cols + 31) / 32, (output_rows + 7) / 8, planes);
    for (int d = 0; d < kernel_depth; d++)
        add_plane<<<blocks, dim3(32, 8)>>>(input + d * input_rows * input_cols, kernel + d * kernel_rows * kernel_cols,
                                           output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
