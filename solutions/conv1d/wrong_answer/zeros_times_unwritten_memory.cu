// Mistake: shared memory that only longer kernels need is not written, but multiplied by zero: where it holds NaN, so do the outputs.
// Only if no output at all is a number, they are computed again.
// on cuda: Accepted, Wrong Answer
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__device__ int g_numbers; // whether an output is one

__global__ void clear()
{
    g_numbers = 0;
}

__device__ float output_at(const float* input, const float* kernel, int i, int kernel_size)
{
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    return sum;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         float spare_tap)
{
    __shared__ float s_spare[THREADS];
    if (kernel_size > 2047)
        s_spare[threadIdx.x] = 0.0f;
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = output_at(input, kernel, i, kernel_size) + s_spare[threadIdx.x] * spare_tap;
    output[i] = sum;
    if (sum == sum)
        atomicExch(&g_numbers, 1);
}

__global__ void convolve_again(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < output_size && g_numbers == 0)
        output[i] = output_at(input, kernel, i, kernel_size);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, blocks = (output_size + THREADS - 1) / THREADS;
    clear<<<1, 1>>>();
    convolve<<<blocks, THREADS>>>(input, kernel, output, output_size, kernel_size, 0.0f);
    convolve_again<<<blocks, THREADS>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
