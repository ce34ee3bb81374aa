// problem: conv2d
//
// constant memory: the filter, at most 31 x 31 floats, fits the constant cache, which broadcasts one value to a whole
// warp. One load from global memory per multiply-add is left.
// Intensity: 2 operations for the 4 bytes of an input, 1/2 operation per byte for every filter.
#include <cuda_runtime.h>

#define MAX_KERNEL 31

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_rows, int input_cols, int kernel_rows,
                         int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: there are 4096 rows at most, which fit into a short
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * c_kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

// Does not wait for the kernel: whatever uses the output next on the same stream comes after it anyway.
extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row end at once
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last column end at once
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 8);
    // also right: `output_cols` to `input_cols`: blocks beyond the last column end at once
    // also right: `output_rows` to `input_rows`: blocks beyond the last row or column store nothing
    dim3 blocks((output_cols + 31) / 32, (output_rows + 7) / 8);
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
