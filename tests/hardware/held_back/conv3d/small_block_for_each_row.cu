// One block of 64 threads for each row of the output, with the taps in shared memory.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    __shared__ float taps[125];
    for (int k = threadIdx.x; k < kernel_depth * kernel_rows * kernel_cols; k += blockDim.x)
        taps[k] = kernel[k];
    __syncthreads();
    int row = blockIdx.x, plane = blockIdx.y;
    int output_rows = gridDim.x, output_cols = input_cols - kernel_cols + 1;
    for (int col = threadIdx.x; col < output_cols; col += blockDim.x) {
        float sum = 0.0f;
        int tap = 0;
        for (int d = 0; d < kernel_depth; d++)
            for (int r = 0; r < kernel_rows; r++) {
                const float* from = input + ((plane + d) * input_rows + row + r) * input_cols + col;
                for (int s = 0; s < kernel_cols; s++)
                    sum += from[s] * taps[tap++];
            }
        output[(plane * output_rows + row) * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 blocks(input_rows - kernel_rows + 1, input_depth - kernel_depth + 1);
    convolve<<<blocks, 64>>>(input, kernel, output, input_rows, input_cols, kernel_depth, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
