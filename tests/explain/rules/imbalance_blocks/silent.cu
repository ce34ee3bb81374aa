// expect: Accepted
// problem: conv1d
// no advice: imbalance_blocks
// case: 2
// The share of a block is rounded up, and the last one gets less.
#include <cuda_runtime.h>

constexpr int THREADS = 256, BLOCKS = 528; // four blocks for each multiprocessor of an H200

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int chunk = (output_size + BLOCKS - 1) / BLOCKS; // outputs of each block; the last takes fewer
    int begin = blockIdx.x * chunk, end = min(output_size, begin + chunk);
    for (int i = begin + threadIdx.x; i < end; i += THREADS) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<BLOCKS, THREADS>>>(input, kernel, output, input_size - kernel_size + 1, kernel_size);
    cudaDeviceSynchronize();
}
