// Kernels in less than float32, the ways in which they are usually written.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

// C = A B of n x n matrices, n a multiple of 32: a block of four warps makes 32 x 32 of them from tiles in shared memory.
extern "C" __global__ void product(const half *a, const half *b, float *c, int n)
{
    __shared__ __align__(128) half s_a[32][16], s_b[16][32];
    int warp = threadIdx.x / 32, row = blockIdx.y * 32, column = blockIdx.x * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    for (int k = 0; k < n; k += 16) {
        int t = threadIdx.x;
        if (t < 64)
            __pipeline_memcpy_async(&s_a[t / 2][t % 2 * 8], &a[(row + t / 2) * n + k + t % 2 * 8], 16);
        else
            __pipeline_memcpy_async(&s_b[t % 64 / 4][t % 4 * 8], &b[(k + t % 64 / 4) * n + column + t % 4 * 8], 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        wmma::load_matrix_sync(x, &s_a[warp / 2 * 16][0], 16);
        wmma::load_matrix_sync(y, &s_b[0][warp % 2 * 16], 32);
        wmma::mma_sync(z, x, y, z);
        __syncthreads();
    }
    wmma::store_matrix_sync(&c[(row + warp / 2 * 16) * n + column + warp % 2 * 16], z, n, wmma::mem_row_major);
}

// One 16 x 16 product of each type whose fragments are laid out in a way of their own, through all layouts.
extern "C" __global__ void mixed(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, float> z;
    wmma::load_matrix_sync(x, a, 8);
    wmma::load_matrix_sync(y, b, 32);
    wmma::load_matrix_sync(z, c, 8, wmma::mem_col_major);
    wmma::mma_sync(z, x, y, z);
    for (int i = 0; i < z.num_elements; i++)
        z.x[i] *= 2;
    wmma::store_matrix_sync(c, z, 8, wmma::mem_col_major);
}

// Convolution of pairs: two neighbouring outputs in one half2.
extern "C" __global__ void pairs(const half *input, const half *filter, half2 *output, int taps, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    half2 sum = __float2half2_rn(0);
    for (int j = 0; j < taps; j++)
        sum = __hfma2(__halves2half2(input[2 * i + j], input[2 * i + j + 1]), __half2half2(filter[j]), sum);
    output[i] = sum;
}

// Sums of tiles of a block, which arrive at a barrier in shared memory.
extern "C" __global__ void sums(const int *input, int *output)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready;
    __shared__ int s_input[256];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    if (block.thread_rank() == 0)
        init(&ready, block.size());
    block.sync();
    cuda::memcpy_async(block, s_input, input + blockIdx.x * 256, sizeof s_input, ready);
    ready.arrive_and_wait();
    int sum = cg::reduce(tile, s_input[255 - block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        output[blockIdx.x * 16 + tile.meta_group_rank()] = sum;
}
