// expect: Accepted
// problem: conv2d
// Large filters: a block of 64 threads for each output, added up in a tree. Small ones: a block for each output row.
#include <cuda_runtime.h>

__global__ void block_per_output(const float* input, const float* kernel, float* output, int input_cols,
                                 int kernel_rows, int kernel_cols)
{
    __shared__ float cache[64];
    int row = blockIdx.y, col = blockIdx.x, t = threadIdx.x;

    float sum = 0.0f;
    for (int k = t; k < kernel_rows * kernel_cols; k += 64)
        sum += input[(row + k / kernel_cols) * input_cols + col + k % kernel_cols] * kernel[k];
    cache[t] = sum;
    __syncthreads();
    for (int stride = 32; stride > 0; stride >>= 1) {
        if (t < stride)
            cache[t] += cache[t + stride];
        __syncthreads();
    }
    if (t == 0)
        output[row * gridDim.x + col] = cache[0];
}

__global__ void block_per_row(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                              int kernel_rows, int kernel_cols)
{
    for (int col = threadIdx.x; col < output_cols; col += blockDim.x) {
        float sum = 0.0f;
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[(blockIdx.x + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
        output[blockIdx.x * output_cols + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    if (kernel_rows * kernel_cols >= 64)
        block_per_output<<<dim3(output_cols, output_rows), 64>>>(input, kernel, output, input_cols, kernel_rows,
                                                                 kernel_cols);
    else
        block_per_row<<<output_rows, 256>>>(input, kernel, output, input_cols, output_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
