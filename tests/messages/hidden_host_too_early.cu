// expect: Wrong Answer
// says: the host uses pinned memory before an asynchronous copy from or to it has finished, or relies on a host function before it has run: wait for the stream or an event first
// problem: conv1d
//
// In a hidden case, the host reads a tap from pinned memory before it has been copied there.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, float shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += shift != 0;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaStream_t stream;
    float *tap, first;
    cudaMemcpy(&first, kernel, sizeof first, cudaMemcpyDeviceToHost);
    cudaMallocHost(&tap, sizeof *tap);
    *tap = 0;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(tap, kernel, sizeof *tap, cudaMemcpyDeviceToHost, stream);
    if (input_size <= 20)
        cudaStreamSynchronize(stream);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, *tap - first);
    cudaDeviceSynchronize();
}
