// Mistake: the kernel is cut into parts of 16 taps, each the work of a block of its own; they add to the same outputs
// without atomics, so that sums get lost.
// on cuda: Accepted, Wrong Answer
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256
#define PART 16

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i > input_size - kernel_size)
        return;

    float sum = 0.0f;
    for (int k = blockIdx.y * PART; k < min((blockIdx.y + 1) * PART, kernel_size); k++)
        sum += input[i + k] * kernel[k];
    output[i] += sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    dim3 blocks((output_size + THREADS - 1) / THREADS, (kernel_size + PART - 1) / PART);
    cudaMemset(output, 0, output_size * sizeof(float));
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
