// Mistake: the kernel runs on another stream than the copy of the filter, and no event orders the two.
// says: right only by luck: kernel convolve on stream 2 (kernel_does_not_wait_for_copy.cu:34: `convolve<<<blocks, threads, 0, kernels>>>(input, filter, output, input_cols, out...`) does not wait for the copy of 24 bytes within the device on stream 1 (kernel_does_not_wait_for_copy.cu:33: `cudaMemcpyAsync(filter, kernel, bytes, cudaMemcpyDeviceToDevice, copies);`), and the output depends on which comes first. In one of the orders that CUDA allows: every element
// problem: conv2d
#include <cuda_runtime.h>

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
    size_t bytes = (size_t)kernel_rows * kernel_cols * sizeof(float);
    cudaStream_t copies, kernels;
    float* filter;
    cudaMalloc(&filter, bytes);
    cudaStreamCreate(&copies);
    cudaStreamCreate(&kernels);
    cudaMemcpyAsync(filter, kernel, bytes, cudaMemcpyDeviceToDevice, copies);
    convolve<<<blocks, threads, 0, kernels>>>(input, filter, output, input_cols, output_rows, output_cols, kernel_rows,
                                              kernel_cols);
    cudaDeviceSynchronize();
    cudaStreamDestroy(copies);
    cudaStreamDestroy(kernels);
    cudaFree(filter);
}
