// problem: conv1d
//
// shared tile and shared filter: shared memory also broadcasts one value to a whole warp, at any filter length, so the
// filter lies there instead of in constant memory. Each multiply-add still takes two loads from shared memory; doing
// better needs fewer loads for each multiply-add, which is the purpose of registers.
// Intensity for a tile T = 256 and a filter F, which every block reads too: 2 T F / (4 (T + 2 F - 1)) operations per
// byte of global memory, 60 for F = 2047; of shared memory 2 / 8 = 1/4.
#include <cuda_runtime.h>

#define THREADS 256
#define MAX_KERNEL_SIZE 2047

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float s_kernel[MAX_KERNEL_SIZE];
    __shared__ float s_input[THREADS + MAX_KERNEL_SIZE - 1];

    int first = blockIdx.x * THREADS;
    int tile_size = min(THREADS + kernel_size - 1, input_size - first);
    for (int k = threadIdx.x; k < kernel_size; k += THREADS)
        s_kernel[k] = kernel[k];
    for (int j = threadIdx.x; j < tile_size; j += THREADS)
        s_input[j] = input[first + j];
    __syncthreads();

    int i = first + threadIdx.x;
    if (i > input_size - kernel_size)
        return;

    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * s_kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + THREADS - 1) / THREADS;
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
