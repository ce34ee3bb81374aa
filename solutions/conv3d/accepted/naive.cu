// problem: conv3d
//
// naive: one thread computes one output element, straight from global memory. Each multiply-add needs two loads, one of
// them the same for the whole warp; L1 and L2 catch what neighbours have loaded before. Without caches that is 2
// operations for 8 bytes: 1/4 operation per byte, for every filter.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (plane >= output_depth || row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    // also right: `input_depth -` to `input_depth +`: blocks beyond the output store nothing
    int output_depth = input_depth - kernel_depth + 1;
    // also right: `input_rows -` to `input_rows +`: blocks beyond the output store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the output store nothing
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 4, 2);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`, `output_depth` to `input_depth`, `) / 2` to `)`: blocks
    // beyond the output store nothing
    dim3 blocks((output_cols + 31) / 32, (output_rows + 3) / 4, (output_depth + 1) / 2);
    convolve<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                  kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
