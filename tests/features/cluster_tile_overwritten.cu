// expect: Run-Time Error
// says: blocks of a cluster race for the same memory, or use the shared memory of one that may not have begun or have ended: a cluster.sync() is missing (cluster_tile_overwritten.cu:
// on cuda: Accepted, Wrong Answer
// problem: conv1d
// As cluster_of_tiles.cu, but a block overwrites its tile while the one before it may still read there.
// Needs a GPU of compute capability 9.0.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;
constexpr int kTile = 4096;
constexpr int kRanks = 8;
constexpr int kMaxTaps = 2048;

__global__ void __cluster_dims__(kRanks, 1, 1)
    convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float tile[kTile];
    __shared__ float taps[kMaxTaps];
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    const float* next = cluster.map_shared_rank(tile, (rank + 1) % kRanks);
    for (int k = threadIdx.x; k < kernel_size; k += kThreads)
        taps[k] = kernel[k];

    for (int start = 0; start <= input_size - kernel_size; start += kRanks * kTile) {
        const int first = start + rank * kTile;
        for (int i = threadIdx.x; i < kTile; i += kThreads)
            tile[i] = first + i < input_size ? input[first + i] : 0.0f;
        cluster.sync();
        for (int i = threadIdx.x; i < kTile && first + i <= input_size - kernel_size; i += kThreads) {
            float sum = 0.0f;
            for (int k = 0; k < kernel_size; k++) {
                const int j = i + k;
                sum += (j < kTile ? tile[j] : rank + 1 < kRanks ? next[j - kTile] : input[first + j]) * taps[k];
            }
            output[first + i] = sum;
        }
        __syncthreads();
    }
    cluster.sync(); // before the block ends
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<kRanks, kThreads>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
