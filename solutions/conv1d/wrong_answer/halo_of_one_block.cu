// Mistake: each thread loads at most one element of the halo, so taps beyond twice the block read zeros.
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256
#define MAX_KERNEL_SIZE 2047

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float s_input[THREADS + MAX_KERNEL_SIZE - 1];

    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + MAX_KERNEL_SIZE - 1; j += THREADS)
        s_input[j] = 0.0f;
    __syncthreads();
    for (int j = threadIdx.x; j < 2 * THREADS; j += THREADS)
        if (first + j < input_size)
            s_input[j] = input[first + j];
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
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + THREADS - 1) / THREADS, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
