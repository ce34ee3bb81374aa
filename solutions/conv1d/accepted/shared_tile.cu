// problem: conv1d
//
// shared tile: the threads of a block share most of their input, so they load it once, together, into shared memory:
// a tile of as many elements as there are threads, and a halo of kernel_size - 1 more to its right.
// Global traffic falls from kernel_size loads for each output to 1 + (kernel_size - 1) / 256.
// Intensity for a tile T = 256 and a filter F: T F / (2 (T + F - 1)) operations per byte of input, 114 for F = 2047;
// the filter still comes from global memory, one load per multiply-add.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // THREADS + kernel_size - 1 elements

    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        // also right: `: 0.0f` to `: 1`: inputs beyond the last meet taps of zero, or belong to outputs that are not
        // stored
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    int i = first + threadIdx.x;
    if (i > input_size - kernel_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + THREADS - 1) / THREADS;
    // also right: narrow index, `kernel_size - 1` to `kernel_size`, `kernel_size -` to `kernel_size +`: as many bytes
    // of shared memory, or a few more, fit into an int
    size_t shared_bytes = (THREADS + kernel_size - 1) * sizeof(float);
    convolve<<<blocks, THREADS, shared_bytes>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
