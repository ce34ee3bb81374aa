// expect: Accepted
// problem: conv1d
// The two blocks of a cluster halve the filter, leave their sums in global memory, and add up half of them each.
// Needs a GPU of compute capability 9.0.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void __cluster_dims__(2, 1, 1) convolve(const float* input, const float* kernel, float* sums, float* output,
                                                   int output_size, int kernel_size)
{
    auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank(), middle = kernel_size / 2;
    const int first = blockIdx.x / 2 * kThreads, i = first + threadIdx.x;
    float sum = 0;
    for (int k = rank == 0 ? 0 : middle; k < (rank == 0 ? middle : kernel_size) && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    sums[blockIdx.x * kThreads + threadIdx.x] = sum;
    cluster.sync();
    const int mine = rank * (kThreads / 2) + threadIdx.x;
    if (threadIdx.x < kThreads / 2 && first + mine < output_size)
        output[first + mine] = sums[first * 2 + mine] + sums[first * 2 + kThreads + mine];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1;
    const int blocks = (output_size + kThreads - 1) / kThreads * 2;
    float* sums;
    cudaMalloc(&sums, blocks * kThreads * sizeof(float));
    convolve<<<blocks, kThreads>>>(input, kernel, sums, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(sums);
}
