// expect: Run-Time Error
// Mistake: two blocks share the taps of each output, and the one that finishes last adds up their sums. No
// __threadfence() stands between storing a sum and raising the counter where there are many outputs.
// on cuda: Accepted, Wrong Answer
// says: a block signals other blocks that it has stored data, with no __threadfence() between the store and the signal
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, float* sums, unsigned* finished,
                         int output_size, int kernel_size)
{
    __shared__ bool is_last;

    int i = blockIdx.x * THREADS + threadIdx.x;
    int half = (kernel_size + 1) / 2;
    int first = blockIdx.y * half;
    int end = min(first + half, kernel_size);
    float sum = 0.0f;
    for (int k = first; k < end && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        sums[blockIdx.y * output_size + i] = sum;
    if (gridDim.x < 2)
        __threadfence();
    __syncthreads();

    if (threadIdx.x == 0)
        is_last = atomicAdd(&finished[blockIdx.x], 1) == 1;
    __syncthreads();
    if (is_last && i < output_size)
        output[i] = sums[i] + sums[output_size + i];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + THREADS - 1) / THREADS;
    float* d_sums;
    unsigned* d_finished;
    cudaMalloc(&d_sums, 2 * output_size * sizeof(float));
    cudaMalloc(&d_finished, blocks * sizeof(unsigned));
    cudaMemset(d_finished, 0, blocks * sizeof(unsigned));
    convolve<<<dim3(blocks, 2), THREADS>>>(input, kernel, output, d_sums, d_finished, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    cudaFree(d_finished);
}
