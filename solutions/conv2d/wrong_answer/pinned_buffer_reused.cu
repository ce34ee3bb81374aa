// Mistake: writes the next row of the filter into the pinned buffer while the copy of the last one may not have begun.
// on cuda: Wrong Answer, Accepted
// problem: conv2d
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_rows,
                         int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
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
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    size_t row_bytes = kernel_cols * sizeof(float);
    cudaStream_t stream;
    float *filter, *row;
    cudaMalloc(&filter, kernel_rows * row_bytes);
    cudaMallocHost(&row, row_bytes);
    float* all = (float*)malloc(kernel_rows * row_bytes);
    cudaMemcpy(all, kernel, kernel_rows * row_bytes, cudaMemcpyDeviceToHost);
    cudaStreamCreate(&stream);
    for (int r = 0; r < kernel_rows; r++) {
        for (int s = 0; s < kernel_cols; s++)
            row[s] = all[r * kernel_cols + s];
        cudaMemcpyAsync(filter + r * kernel_cols, row, row_bytes, cudaMemcpyHostToDevice, stream);
    }
    convolve<<<blocks, threads, 0, stream>>>(input, filter, output, input_cols, output_rows, output_cols, kernel_rows,
                                             kernel_cols);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(row);
    cudaFree(filter);
    free(all);
}
