// Mistake: the host reads the filter from pinned memory before the asynchronous copy has ended.
// says: the host does not wait for the copy of 24 bytes to the host on stream 1 (pinned_result_read_early.cu:36: `cudaMemcpyAsync(copied, kernel, taps * sizeof(float), cudaMemcpyDeviceToHost, st...`), and the output depends on which comes first
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
    int taps = kernel_rows * kernel_cols;
    cudaStream_t stream;
    float *filter, *copied;
    cudaMalloc(&filter, taps * sizeof(float));
    cudaMallocHost(&copied, taps * sizeof(float));
    float* ordered = (float*)malloc(taps * sizeof(float));
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(copied, kernel, taps * sizeof(float), cudaMemcpyDeviceToHost, stream);
    for (int i = 0; i < taps; i++)
        ordered[i] = copied[i];
    cudaMemcpy(filter, ordered, taps * sizeof(float), cudaMemcpyHostToDevice);
    convolve<<<blocks, threads, 0, stream>>>(input, filter, output, input_cols, output_rows, output_cols, kernel_rows,
                                             kernel_cols);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(copied);
    cudaFree(filter);
    free(ordered);
}
