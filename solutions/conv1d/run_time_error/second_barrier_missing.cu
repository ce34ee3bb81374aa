// Mistake: long outputs go through a tile of the filter, and no __syncthreads() stands between using one tile and
// loading the next one: a fast warp overwrites what a slow warp still needs. Short outputs are computed without a tile.
// on cuda: Accepted, Wrong Answer
// says: warps of a block race for the same memory, with no barrier in between
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

__global__ void convolve_long(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float s_kernel[8];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < kernel_size; first += 8) {
        int count = min(8, kernel_size - first);
        if (threadIdx.x < count)
            s_kernel[threadIdx.x] = kernel[first + threadIdx.x];
        __syncthreads();
        if (i < output_size)
            for (int k = 0; k < count; k++)
                sum += input[i + first + k] * s_kernel[k];
    }
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + THREADS - 1) / THREADS;
    if (output_size > 65536)
        convolve_long<<<blocks, THREADS>>>(input, kernel, output, output_size, kernel_size);
    else
        convolve<<<blocks, THREADS>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
