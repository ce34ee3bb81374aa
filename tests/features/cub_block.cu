// problem: conv1d
// expect: Accepted
//
// Primitives of cub that work within a block or a warp, and an atomic of libcu++. Each block loads its inputs by
// cub::BlockLoad, turns them by an exclusive sum of ones into places in a tile, and counts its outputs in a cuda::atomic_ref.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda_runtime.h>

enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS, MAX_TAPS = 2047 };

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    using Load = cub::BlockLoad<float, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, THREADS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
    } s_work;
    __shared__ float s_tile[TILE + MAX_TAPS - 1];
    __shared__ int s_done;
    int first = blockIdx.x * TILE, output_size = input_size - kernel_size + 1;
    cuda::std::array<float, ITEMS> items;
    if (threadIdx.x == 0)
        s_done = 0;
    Load(s_work.load).Load(input + first, reinterpret_cast<float(&)[ITEMS]>(items), input_size - first, 0.0f);
    __syncthreads();
    int place;
    Scan(s_work.scan).ExclusiveSum(1, place);
    for (int j = 0; j < ITEMS; j++)
        s_tile[place * ITEMS + j] = items[j];
    for (int j = TILE + threadIdx.x; j < TILE + kernel_size - 1; j += THREADS)
        s_tile[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();
    int written = 0;
    for (int j = threadIdx.x; j < TILE && first + j < output_size; j += THREADS, written++) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += s_tile[j + k] * kernel[k];
        output[first + j] = sum;
    }
    __shared__ typename cub::WarpReduce<int>::TempStorage s_reduce[THREADS / 32];
    int all = cub::WarpReduce<int>(s_reduce[threadIdx.x / 32]).Sum(written);
    if (threadIdx.x % 32 == 0)
        cuda::atomic_ref<int, cuda::thread_scope_block>(s_done).fetch_add(all);
    __syncthreads();
    if (threadIdx.x == 0 && s_done != min(TILE, output_size - first))
        output[first] = NAN;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + TILE - 1) / TILE, THREADS>>>(input, kernel, output, input_size, kernel_size);
}
