// problem: conv1d
//
// constant memory: the filter is copied to constant memory, whose cache broadcasts one value to a whole warp.
// One load from global memory per multiply-add is left. Whether that pays depends on the GPU and on the filter: the
// constant cache is made for a few hundred bytes, and a long filter that does not fit can be slower than the L1 cache.
// Intensity: 2 operations for the 4 bytes of an input, 1/2 operation per byte for every filter.
#include <cuda_runtime.h>

#define MAX_KERNEL_SIZE 2047

__constant__ float c_kernel[MAX_KERNEL_SIZE];

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * c_kernel[k];
    output[i] = sum;
}

// Does not wait for the kernel: whatever uses the output next on the same stream comes after it anyway.
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int threads = 256;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + threads - 1) / threads;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, output_size, kernel_size);
}
