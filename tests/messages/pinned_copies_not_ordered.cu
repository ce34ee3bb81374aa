// expect: Wrong Answer
// says: the copy of 12 bytes from the host on stream 2 (pinned_copies_not_ordered.cu:31: `cudaMemcpyAsync(d_filter, h_filter, bytes, cudaMemcpyHostToDevice, second);`) does not wait for the copy of 12 bytes to the host on stream 1
// problem: conv1d
//
// The filter goes through pinned memory of the host, on one stream in and on another one out.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, bytes = kernel_size * sizeof(float);
    cudaStream_t first, second;
    float *h_filter, *d_filter;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMallocHost(&h_filter, bytes);
    cudaMalloc(&d_filter, bytes);
    for (int k = 0; k < kernel_size; k++)
        h_filter[k] = 0;
    cudaMemcpyAsync(h_filter, kernel, bytes, cudaMemcpyDeviceToHost, first);
    cudaMemcpyAsync(d_filter, h_filter, bytes, cudaMemcpyHostToDevice, second);
    convolve<<<(output_size + 255) / 256, 256, 0, second>>>(input, d_filter, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFreeHost(h_filter);
    cudaFree(d_filter);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
