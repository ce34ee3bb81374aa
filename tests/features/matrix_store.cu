// expect: Accepted
// problem: conv1d
// Each warp stores its results by stmatrix, and another warp copies them to the output. Needs compute capability 9.0.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// stmatrix stores 8 rows of 16 bytes. A register holds two elements of 16 bits, which are the float of lane i here: it comes
// to word i of the 32 of its warp.
__device__ void store_warp(float* to, float value)
{
    const float* row = to + threadIdx.x % 8 * 4;
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(row))),
                 "r"(__float_as_uint(value))
                 : "memory");
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ __align__(128) float results[kThreads];
    const int output_size = input_size - kernel_size + 1;
    const int i = blockIdx.x * kThreads + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kernel_size && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    store_warp(results + threadIdx.x / 32 * 32, sum);
    __syncthreads();
    const int other = threadIdx.x ^ 32; // of another warp
    if (blockIdx.x * kThreads + other < output_size)
        output[blockIdx.x * kThreads + other] = results[other];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int blocks = (input_size - kernel_size + kThreads) / kThreads;
    convolve<<<blocks, kThreads>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
