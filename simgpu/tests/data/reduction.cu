// Sums of each block's part of the input: one with shuffles, one with a cooperative group of 32.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace groups = cooperative_groups;

extern "C" __global__ void with_shuffles(const float *input, float *sums, int count)
{
    __shared__ float s_warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < count ? input[i] : 0;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        s_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? s_warps[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void with_groups(const int *input, int *sums, int count)
{
    __shared__ int s_sum;
    groups::thread_block block = groups::this_thread_block();
    groups::thread_block_tile<16> tile = groups::tiled_partition<16>(block);
    int i = block.group_index().x * block.group_dim().x + block.thread_rank();
    if (block.thread_rank() == 0)
        s_sum = 0;
    block.sync();
    int sum = groups::reduce(tile, i < count ? input[i] : 0, groups::plus<int>());
    if (tile.thread_rank() == 0)
        atomicAdd(&s_sum, sum);
    block.sync();
    if (block.thread_rank() == 0)
        sums[block.group_index().x] = s_sum;
}
