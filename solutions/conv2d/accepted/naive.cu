// problem: conv2d
//
// naive: one thread computes one output element, straight from global memory.
// Threads with neighbouring x read neighbouring columns, so loads are coalesced and mostly hit the L1 cache.
// Each multiply-add needs two loads, one of them the same for the whole warp: the load units are the limit.
// Intensity: 2 operations for 8 bytes, 1/4 operation per byte for every filter.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: there are 4096 rows at most, which fit into a short
    // also right: `.y` to `.x`: a block is as high as it is wide
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    // also right: `.x` to `.y`: a block is as high as it is wide
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row end at once
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last column end at once
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    // also right: `output_cols` to `input_cols`: blocks beyond the last column end at once
    // also right: `output_rows` to `input_rows`: blocks beyond the last row or column store nothing
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
