// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// A division has a slow path, which splits the machine code of the loop into two: fences and loads stand before it, the
// multiply-adds behind it. A model of time that counts each part by its accesses to memory takes the second one for
// code that runs once, before the loop. It must not be faster than without fences and division (HONEST).
#include <cuda_runtime.h>

constexpr int TILE = 16, THREADS = 128;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int input_size,
                         int kernel_size, float one)
{
    extern __shared__ float tile[];
    int start = blockIdx.x * THREADS * TILE, length = THREADS * TILE + kernel_size, at = threadIdx.x * TILE;
    float *filter = tile + length, sum[TILE] = {}, x[TILE];
    for (int i = threadIdx.x; i < length; i += THREADS)
        tile[i] = start + i < input_size ? input[start + i] : 0;
    for (int i = threadIdx.x; i < kernel_size; i += THREADS)
        filter[i] = kernel[i];
    __syncthreads();
    for (int j = 0; j < TILE; j++)
        x[j] = tile[at + j];
#pragma unroll 1
    for (int k = 0; k < kernel_size; k++) {
        float weight = filter[k], next = tile[at + k + TILE];
#ifndef HONEST
        __threadfence();
        weight /= one;
#endif
#pragma unroll
        for (int j = 0; j < TILE; j++)
            sum[j] += x[j] * weight;
#pragma unroll
        for (int j = 0; j < TILE - 1; j++)
            x[j] = x[j + 1];
        x[TILE - 1] = next;
    }
#pragma unroll
    for (int j = 0; j < TILE; j++)
        if (start + at + j < output_size)
            output[start + at + j] = sum[j];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, blocks = (output_size + THREADS * TILE - 1) / (THREADS * TILE);
    size_t bytes = (THREADS * TILE + 2 * kernel_size) * sizeof(float);
    convolve<<<blocks, THREADS, bytes>>>(input, kernel, output, output_size, input_size, kernel_size, 1.0f);
    cudaDeviceSynchronize();
}
