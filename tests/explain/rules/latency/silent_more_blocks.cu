// expect: Accepted
// problem: conv1d
// no advice: latency
// case: 2
// Sixty-four warps on each multiprocessor: while some wait, others compute.
#include <cuda_runtime.h>

constexpr int THREADS = 256, BLOCKS = 1056;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < output_size; i += BLOCKS * THREADS) {
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
