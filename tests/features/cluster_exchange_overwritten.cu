// expect: Run-Time Error
// says: of block 1 of its cluster, which block 1 of its cluster has written with no cluster.sync() in between
// on cuda: Accepted, Wrong Answer
// problem: conv1d
// Two blocks of a cluster each sum over half of the filter, and exchange halves of the sums. A block stores its second half
// where the other one may still read the first. Needs a GPU of compute capability 9.0.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

__global__ void __cluster_dims__(2, 1, 1)
    convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float sums[kThreads];
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank(), middle = kernel_size / 2;
    const float* theirs = cluster.map_shared_rank(sums, rank ^ 1);
    for (int part = 0; part < 2; part++) {
        const int i = (blockIdx.x / 2 * 2 + part) * kThreads + threadIdx.x;
        float sum = 0.0f;
        for (int k = rank == 0 ? 0 : middle; k < (rank == 0 ? middle : kernel_size) && i < output_size; k++)
            sum += input[i + k] * kernel[k];
        sums[threadIdx.x] = sum;
        cluster.sync();
        if (part == rank && i < output_size)
            output[i] = sum + theirs[threadIdx.x];
    }
    cluster.sync();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 2 * kThreads - 1) / (2 * kThreads) * 2, kThreads>>>(input, kernel, output, output_size,
                                                                                kernel_size);
    cudaDeviceSynchronize();
}
