// problem: conv1d
//
// shared tile and constant filter: the two techniques together, with blocks of 1024 threads so that fewer elements
// are loaded twice (a halo of up to 2046 for a tile of 1024). No load from global memory is left in the inner loop:
// each multiply-add takes one load from shared memory and one broadcast from the constant cache.
// Intensity for a tile T = 1024 and a filter F: T F / (2 (T + F - 1)) operations per byte, 2.5 for F = 5, 341 for
// F = 2047.
#include "solve.h"
#include <cuda_runtime.h>

#define THREADS 1024
#define MAX_KERNEL_SIZE 2047

__constant__ float c_kernel[MAX_KERNEL_SIZE];

__global__ void convolve(const float* input, float* output, int input_size, int kernel_size)
{
    __shared__ float s_input[THREADS + MAX_KERNEL_SIZE - 1];

    int first = blockIdx.x * THREADS;
    int tile_size = min(THREADS + kernel_size - 1, input_size - first);
    for (int j = threadIdx.x; j < tile_size; j += THREADS)
        s_input[j] = input[first + j];
    __syncthreads();

    int i = first + threadIdx.x;
    if (i > input_size - kernel_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * c_kernel[k];
    output[i] = sum;
}

void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + THREADS - 1) / THREADS;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, THREADS>>>(input, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
