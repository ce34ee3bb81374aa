// expect: Accepted
// problem: conv1d
// advice: imbalance_blocks
// case: 2
// Each block gets a round number of outputs, rounded down, and the last one the rest: a quarter of all and more.
#include <cuda_runtime.h>

constexpr int THREADS = 256, BLOCKS = 528; // four blocks for each multiprocessor of an H200

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int chunk = output_size / BLOCKS / 2048 * 2048; // a round number of outputs for each block; the last takes the rest
    int begin = blockIdx.x * chunk, end = blockIdx.x == BLOCKS - 1 ? output_size : begin + chunk;
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
