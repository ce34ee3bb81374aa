// expect: Accepted
// problem: conv1d
// advice: latency
// case: 2
// sketch: // tap k + 1, loaded before the first accumulator needs its value
// Two warps on each multiprocessor: while they wait for their loads, there is no other warp that could compute.
#include <cuda_runtime.h>

constexpr int THREADS = 64, BLOCKS = 132;

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
