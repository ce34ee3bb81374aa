// expect: Accepted
// problem: conv1d
// Clusters of four blocks share one filter: each block loads a quarter of it, and reads the rest from the shared memory of
// the others. The halo to the right of a block's tile lies in the block of the next rank.
// Needs a GPU of compute capability 9.0.
#include <cmath>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;
constexpr int kTile = 2048;
constexpr int kRanks = 4;
constexpr int kMaxTaps = 2048;
constexpr int kPart = kMaxTaps / kRanks;

__global__ void __cluster_dims__(kRanks, 1, 1)
    convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float tile[kTile];
    __shared__ float part[kPart];
    __shared__ float taps[kMaxTaps];
    __shared__ int arrivals;
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    const int first = blockIdx.x * kTile;

    for (int i = threadIdx.x; i < kTile; i += kThreads)
        tile[i] = first + i < input_size ? input[first + i] : 0.0f;
    for (int k = threadIdx.x; k < kPart; k += kThreads)
        part[k] = rank * kPart + k < kernel_size ? kernel[rank * kPart + k] : 0.0f;
    if (threadIdx.x == 0)
        arrivals = 0;
    cluster.sync();

    for (int k = threadIdx.x; k < kernel_size; k += kThreads)
        taps[k] = cluster.map_shared_rank(part, k / kPart)[k % kPart];
    // Everybody tells rank 0 that it is there, by an atomic operation in the shared memory of that block.
    if (threadIdx.x == 0)
        atomicAdd(cluster.map_shared_rank(&arrivals, 0), 1);
    __syncthreads();

    const float* next = cluster.map_shared_rank(tile, (rank + 1) % kRanks);
    for (int i = threadIdx.x; i < kTile && first + i <= input_size - kernel_size; i += kThreads) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++) {
            const int j = i + k;
            float value = 0.0f;
            if (j < kTile)
                value = tile[j];
            else if (rank + 1 < kRanks && j < 2 * kTile)
                value = next[j - kTile];
            else
                value = input[first + j];
            sum += value * taps[k];
        }
        output[first + i] = sum;
    }
    cluster.sync(); // no block may end while others read its shared memory
    if (rank == 0 && threadIdx.x == 0 && arrivals != kRanks)
        output[first] = NAN;
}

// The same by the attribute of a launch, with the barrier in two halves and a cluster of two blocks.
__global__ void scale_twice(float* output, int output_size)
{
    __shared__ float mine[kThreads];
    cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const unsigned other = cluster.block_rank() ^ 1;
    mine[threadIdx.x] = i < output_size ? output[i] : 0.0f;
    cluster.barrier_arrive();
    cluster.barrier_wait();
    // The blocks exchange their elements, and exchange them back.
    const float theirs = cluster.map_shared_rank(mine, other)[threadIdx.x];
    cluster.sync();
    cluster.map_shared_rank(mine, other)[threadIdx.x] = theirs;
    cluster.sync();
    const int from = (blockIdx.x ^ 1) * kThreads + threadIdx.x;
    if (i < output_size && cluster.num_blocks() == 2 && cluster.dim_blocks().x == 2 && from >= 0)
        output[i] = mine[threadIdx.x];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1;
    const int blocks = (output_size + kTile - 1) / kTile;
    convolve<<<(blocks + kRanks - 1) / kRanks * kRanks, kThreads>>>(input, kernel, output, input_size, kernel_size);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((output_size + 2 * kThreads - 1) / (2 * kThreads) * 2);
    config.blockDim = dim3(kThreads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, scale_twice, output, output_size);
    cudaDeviceSynchronize();
}
