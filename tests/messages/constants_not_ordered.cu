// expect: Wrong Answer
// says: kernel convolve on cudaStreamPerThread (constants_not_ordered.cu:28: `convolve<<<(output_size + 255) / 256, 256, 0, cudaStreamPerThread>>>(input, outp...`) does not wait for the copy of
// problem: conv1d
//
// The filter comes to constant memory in two copies on a stream for which only the host waits, and only after the launch.
#include <cuda_runtime.h>

__constant__ float taps[2048];

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * taps[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, first = kernel_size / 2;
    cudaStream_t copies;
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    cudaMemcpyToSymbolAsync(taps, kernel, first * 4, 0, cudaMemcpyDeviceToDevice, copies);
    cudaMemcpyToSymbolAsync(taps, kernel + first, (kernel_size - first) * 4, first * 4, cudaMemcpyDeviceToDevice, copies);
    convolve<<<(output_size + 255) / 256, 256, 0, cudaStreamPerThread>>>(input, output, output_size, kernel_size);
    cudaStreamSynchronize(copies);
    cudaStreamDestroy(copies);
}
