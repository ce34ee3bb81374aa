// problem: conv3d
//
// register tile: a thread computes 4 outputs one behind the other, without shared memory. For each place of the
// filter's front it goes through the depth with 4 inputs in registers; each step loads one input and one tap for 4
// multiply-adds. Without caches, with K^3 taps: 2 * 4 K^3 operations for 4 K^2 (K + 3) bytes of input: 2 K / (K + 3)
// operations per byte, 1.25 for K = 5 instead of the 1/2 of one output per thread.
#include <cuda_runtime.h>

#define OUTPUTS 4
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int plane = blockIdx.z * OUTPUTS; // also right: narrow index: no side is longer than 256, which fits into a short
    // also right: narrow index: no side is longer than 256, which fits into a short
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum[OUTPUTS] = {0.0f};
    int step = input_rows * input_cols; // from plane to plane
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            const float* from = input + (row + r) * input_cols + col + s;
            float window[OUTPUTS]; // inputs d .. d + 3 of this thread; planes beyond the last are not used
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                // also right: `: 0.0f` to `: 1`: planes beyond the last are parts of outputs that are not written
                window[o] = plane + o < input_depth ? from[(plane + o) * step] : 0.0f;
            for (int d = 0; d < kernel_depth; d++) {
                int newest = plane + d + OUTPUTS - 1;
                // also right: `: 0.0f` to `: 1`: planes beyond the last are parts of outputs that are not written
                window[OUTPUTS - 1] = newest < input_depth ? from[newest * step] : 0.0f;
                float tap = c_kernel[(d * kernel_rows + r) * kernel_cols + s];
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
        if (plane + o < output_depth)
            output[((plane + o) * output_rows + row) * output_cols + col] = sum[o];
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
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);

    dim3 threads(32, 8);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`, `output_depth` to `input_depth`: blocks
    // beyond the output store nothing
    dim3 blocks((output_cols + 31) / 32, (output_rows + 7) / 8, (output_depth + OUTPUTS - 1) / OUTPUTS);
    convolve<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols);
    cudaDeviceSynchronize();
}
