// problem: conv1d
//
// The naive solution with some blocks to spare, which compute the first outputs once more: two such files whose numbers of extra
// blocks differ are as far apart as one likes. tools/bench_timing.sh sets the number.
#include <cuda_runtime.h>

constexpr int EXTRA_BLOCKS = 0;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int block = (int)blockIdx.x < EXTRA_BLOCKS ? blockIdx.x : blockIdx.x - EXTRA_BLOCKS;
    int i = block * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int threads = 128;
    int blocks = (output_size + threads - 1) / threads;
    convolve<<<blocks + EXTRA_BLOCKS, threads>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
