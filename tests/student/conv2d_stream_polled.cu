// expect: Accepted
// problem: conv2d
// Polls a stream until its copy to pinned memory has ended; then another stream copies it back.
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    int row = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= end_row || col >= output_cols)
        return;
    float sum = adds ? output[row * output_cols + col] : 0.0f;
    for (int r = first_tap; r < end_tap; r++)
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
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    size_t filter_bytes = (size_t)kernel_rows * kernel_cols * sizeof(float);
    float *host, *filter;
    cudaMallocHost(&host, filter_bytes);
    cudaMalloc(&filter, filter_bytes);
    for (int i = 0; i < kernel_rows * kernel_cols; i++)
        host[i] = 0.0f;
    cudaMemcpyAsync(host, kernel, filter_bytes, cudaMemcpyDeviceToHost, a);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        continue;
    cudaMemcpyAsync(filter, host, filter_bytes, cudaMemcpyHostToDevice, b);
    convolve<<<blocks, threads, 0, b>>>(input, filter, output, input_cols, output_cols, kernel_cols, 0, output_rows, 0,
                                          kernel_rows, false);
    cudaDeviceSynchronize();
    cudaFree(filter);
    cudaFreeHost(host);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
