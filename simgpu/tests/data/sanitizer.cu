// Kernels with and without races, and with and without reads of what nothing has written: one of each kind.
// All take blocks of 128 threads and use at most one element of `input` and `output` for each thread of the grid.
#include <cuda_pipeline.h>

#define THREADS 128
#define SIGNATURE (const float *input, float *output, unsigned *words)
#define KERNEL(name) extern "C" __global__ void name SIGNATURE

__device__ unsigned finished;
__device__ int lock;

static __device__ int own() { return blockIdx.x * THREADS + threadIdx.x; }

// ---- in order ------------------------------------------------------------------------------------------------------

KERNEL(halo_tile)
{
    __shared__ float tile[THREADS + 2];
    int i = own(), last = gridDim.x * THREADS - 1;
    tile[threadIdx.x + 1] = input[i];
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? input[i - 1] : 0;
    if (threadIdx.x == THREADS - 1)
        tile[THREADS + 1] = i < last ? input[i + 1] : 0;
    __syncthreads();
    output[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

// nvcc loads the first three words of a line as four, while another warp writes the fourth.
KERNEL(three_words_of_four)
{
    __shared__ __align__(16) float lines[4 * THREADS];
    int line = 4 * threadIdx.x, other = 4 * ((threadIdx.x + 32) % THREADS);
    for (int i = 0; i < 3; i++)
        lines[line + i] = input[own()] * i;
    __syncthreads();
    lines[other + 3] = lines[line] + 2 * lines[line + 1] + 3 * lines[line + 2];
    __syncthreads();
    output[own()] = lines[line + 3];
}

KERNEL(double_buffer)
{
    __shared__ float tile[2][THREADS];
    float sum = 0;
    tile[0][threadIdx.x] = input[threadIdx.x];
    for (int step = 0; step < 4; step++) {
        __syncthreads();
        if (step < 3)
            tile[(step + 1) % 2][threadIdx.x] = input[threadIdx.x] * step;
        sum += tile[step % 2][THREADS - 1 - threadIdx.x];
    }
    output[own()] = sum;
}

KERNEL(tree)
{
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = input[own()];
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        output[blockIdx.x] = sums[0];
}

KERNEL(tree_with_syncwarp)
{
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    float sum = sums[threadIdx.x] + sums[threadIdx.x + 32] + sums[threadIdx.x + 64] + sums[threadIdx.x + 96];
    for (int step = 16; step > 0; step /= 2) {
        __syncwarp();
        sums[threadIdx.x] = sum;
        __syncwarp();
        sum += sums[threadIdx.x ^ step];
    }
    if (threadIdx.x == 0)
        output[blockIdx.x] = sum;
}

KERNEL(tree_of_volatiles)
{
    __shared__ volatile float sums[THREADS];
    sums[threadIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x < 32)
        for (int step = 64; step > 0; step /= 2)
            sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + step % 64];
    __syncthreads();
    if (threadIdx.x == 0)
        output[blockIdx.x] = sums[0];
}

KERNEL(shuffles)
{
    float sum = input[own()];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&output[0], sum);
}

KERNEL(histogram)
{
    __shared__ unsigned counts[32];
    if (threadIdx.x < 32)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[(int)input[own()] & 31], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&words[threadIdx.x], counts[threadIdx.x]);
}

KERNEL(largest_by_compare)
{
    __shared__ unsigned largest;
    if (threadIdx.x == 0)
        largest = 0;
    __syncthreads();
    unsigned value = __float_as_uint(input[own()]), old = largest;
    while (old < value && atomicCAS(&largest, old, value) != old)
        old = largest;
    __syncthreads();
    if (threadIdx.x == 0)
        words[blockIdx.x] = largest;
}

KERNEL(copies_ahead)
{
    __shared__ float stages[3][THREADS];
    float sum = 0;
    for (int stage = 0; stage < 2; stage++) {
        __pipeline_memcpy_async(&stages[stage][threadIdx.x], &input[own()], sizeof(float));
        __pipeline_commit();
    }
    for (int step = 0; step < 8; step++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        __pipeline_memcpy_async(&stages[(step + 2) % 3][threadIdx.x], &input[own()], sizeof(float));
        __pipeline_commit();
        sum += stages[step % 3][(threadIdx.x + 1) % THREADS];
    }
    output[own()] = sum;
}

KERNEL(copies_of_the_same)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x / 2], &input[threadIdx.x / 2], sizeof(float));
    __pipeline_memcpy_async(&tile[THREADS - 1 - threadIdx.x % 4], &input[0], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    output[own()] = tile[threadIdx.x / 2];
}

KERNEL(last_block_adds_up)
{
    __shared__ bool is_last;
    output[own()] = input[own()];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    float sum = 0;
    for (int block = 0; block < gridDim.x; block++)
        sum += output[block * THREADS + threadIdx.x];
    words[threadIdx.x] = __float_as_uint(sum);
    if (threadIdx.x == 0)
        finished = 0;
}

KERNEL(lock_around_a_sum)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(&lock, 0, 1) != 0)
        continue;
    words[0] += blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
}

KERNEL(all_raise_a_flag)
{
    __shared__ int flag;
    flag = 0;
    __syncthreads();
    if (input[own()] >= 0)
        flag = 1;
    if (input[own()] >= 0)
        words[0] = 1;
    __syncthreads();
    output[own()] = flag;
}

KERNEL(bytes_side_by_side)
{
    __shared__ unsigned char tile[THREADS + 1];
    unsigned char *bytes = (unsigned char *)words + blockIdx.x * (THREADS - 1);
    tile[threadIdx.x + 1] = (unsigned char)input[own()];
    if (threadIdx.x == 0)
        tile[0] = 0;
    if (threadIdx.x < THREADS - 1)
        bytes[threadIdx.x] = tile[threadIdx.x + 1];
}

KERNEL(producers_and_consumers)
{
    __shared__ float tile[64];
    int lane = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int step = 0; step < 4; step++) {
            if (step > 0)
                asm volatile("bar.sync 2, 128;" ::: "memory");
            tile[lane] = input[own()] + step;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
        return;
    }
    float sum = 0;
    for (int step = 0; step < 4; step++) {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        sum += tile[63 - lane];
        if (step < 3)
            asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    output[own()] = sum;
}

KERNEL(local_array)
{
    float kept[8];
    for (int i = 0; i < 8; i++)
        kept[i] = input[own()] * i;
    output[own()] = kept[(int)input[own()] & 7];
}

KERNEL(scratch_in_global_memory)
{
    int other = own() ^ 32;
    output[own()] = input[own()];
    __syncthreads();
    float sum = output[other];
    __syncthreads();
    output[other] = sum + 1;
    atomicAdd(&words[own()], 1);
    __syncthreads();
    if (words[other] > 1)
        output[own()] = 0;
}

KERNEL(sums_by_compare_in_global_memory)
{
    unsigned seen = words[blockIdx.x], assumed;
    do {
        assumed = seen;
        seen = atomicCAS(&words[blockIdx.x], assumed, assumed + threadIdx.x);
    } while (assumed != seen);
}

KERNEL(copies_of_ones_own)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    output[own()] = tile[threadIdx.x];
}

KERNEL(copies_within_a_warp)
{
    __shared__ float tiles[2][THREADS];
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tiles[i][threadIdx.x], &input[own()], sizeof(float));
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncwarp();
    float sum = tiles[0][threadIdx.x ^ 1];
    __pipeline_wait_prior(0);
    sum += tiles[0][threadIdx.x ^ 2];
    __syncwarp();
    output[own()] = sum + tiles[1][threadIdx.x ^ 1];
}

KERNEL(copies_all_awaited)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(one_of_two_tiles)
{
    __shared__ float tiles[4][THREADS], other[THREADS];
    float *tile = words[own()] > 7 ? other : tiles[1];
    other[threadIdx.x] = tiles[0][threadIdx.x] = input[own()];
    tiles[0][THREADS + threadIdx.x] = tiles[0][2 * THREADS + threadIdx.x] = tile[threadIdx.x - words[own()]];
    tiles[3][threadIdx.x] = threadIdx.x;
    __syncthreads();
    output[own()] = tiles[1][(int)threadIdx.x - THREADS] + other[(unsigned)tiles[3][threadIdx.x]];
}

// ---- races ---------------------------------------------------------------------------------------------------------

KERNEL(tile_without_barrier)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(tile_loaded_too_early)
{
    __shared__ float tile[THREADS];
    float sum = 0;
    for (int step = 0; step < 3; step++) {
        tile[threadIdx.x] = input[own()] + step;
        __syncthreads();
        sum += tile[THREADS - 1 - threadIdx.x];
    }
    output[own()] = sum;
}

KERNEL(warps_write_one_word)
{
    __shared__ float sum;
    if (threadIdx.x % 32 == 0)
        sum = input[own()];
    __syncthreads();
    output[own()] = sum;
}

KERNEL(lanes_write_one_word)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x / 2] = input[own()];
    __syncthreads();
    output[own()] = tile[threadIdx.x / 2];
}

KERNEL(lanes_exchange)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    output[own()] = tile[threadIdx.x ^ 1];
}

KERNEL(histogram_read_too_early)
{
    __shared__ unsigned counts[32];
    if (threadIdx.x < 32)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[(int)input[own()] & 31], 1);
    if (threadIdx.x < 32)
        atomicAdd(&words[threadIdx.x], counts[threadIdx.x]);
}

KERNEL(histogram_cleared_too_late)
{
    __shared__ unsigned counts[32];
    if (threadIdx.x < 32)
        counts[threadIdx.x] = 0;
    atomicAdd(&counts[(int)input[own()] & 31], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&words[threadIdx.x], counts[threadIdx.x]);
}

KERNEL(copy_without_barrier)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(copy_read_before_it_is_there)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    output[own()] = tile[threadIdx.x];
}

KERNEL(copy_not_awaited)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(copy_awaited_after_the_barrier)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    output[own()] = tile[THREADS - 1 - threadIdx.x];
}

KERNEL(copy_before_the_last_awaited)
{
    __shared__ float stages[2][THREADS];
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&stages[i][threadIdx.x], &input[own()], sizeof(float));
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    output[own()] = stages[0][threadIdx.x ^ 32] + stages[1][threadIdx.x ^ 32];
}

KERNEL(copy_overwritten_before_it_is_there)
{
    __shared__ float tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], &input[own()], sizeof(float));
    __pipeline_commit();
    tile[threadIdx.x] = -1;
    __pipeline_wait_prior(0);
    output[own()] = tile[threadIdx.x];
}

KERNEL(index_beyond_a_tile)
{
    __shared__ float tile[THREADS], next[THREADS];
    tile[threadIdx.x] = input[own()];
    next[threadIdx.x] = 1;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 3; i++)
        sum += tile[threadIdx.x + i];
    output[own()] = sum + next[THREADS - 1 - threadIdx.x];
}

KERNEL(scratch_without_barrier)
{
    output[own()] = input[own()];
    output[own()] += output[own() ^ 32];
}

KERNEL(in_place)
{
    unsigned left = threadIdx.x > 0 ? words[own() - 1] : 0;
    words[own()] = left + own() + 1;
}

KERNEL(lanes_store_one_element)
{
    output[own() / 2] = threadIdx.x;
}

KERNEL(blocks_add_up)
{
    output[threadIdx.x] += input[own()];
}

KERNEL(blocks_write_one_word)
{
    if (threadIdx.x == 5)
        output[3] = blockIdx.x;
}

KERNEL(blocks_read_their_neighbours)
{
    output[own()] = input[own()];
    __syncthreads();
    if (blockIdx.x > 0)
        words[own()] = output[own() - THREADS];
}

KERNEL(cleared_while_others_add)
{
    if (blockIdx.x == 0)
        output[threadIdx.x] = 0;
    atomicAdd(&output[threadIdx.x], input[own()]);
}

KERNEL(half_a_warp_shuffles)
{
    float sum = input[own()];
    if (threadIdx.x % 32 < 16)
        sum += __shfl_down_sync(0xffff, sum, 8);
    output[own()] = sum;
}

// ---- what nothing has written --------------------------------------------------------------------------------------

KERNEL(adds_to_output)
{
    output[own()] += input[own()];
}

KERNEL(adds_to_output_atomically)
{
    atomicAdd(&output[threadIdx.x], 1.0f);
}

KERNEL(halo_not_loaded)
{
    __shared__ float tile[THREADS + 1];
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    output[own()] = tile[threadIdx.x + 1];
}

KERNEL(local_array_half_filled)
{
    float kept[8];
    for (int i = 0; i < 8; i += 2)
        kept[i] = input[own()] * i;
    output[own()] = kept[threadIdx.x & 7];
}

// A barrier in either branch.
static __device__ void take_branch(bool first, const float *input, float *output)
{
    __shared__ float tile[THREADS];
    if (first) {
        tile[threadIdx.x] = input[own()];
        __syncthreads();
        output[own()] = tile[THREADS - 1 - threadIdx.x];
    } else {
        tile[threadIdx.x] = 2 * input[own()];
        __syncthreads();
        output[own()] = 3 * tile[THREADS - 1 - threadIdx.x];
    }
}

KERNEL(barriers_of_two_branches)
{
    take_branch(threadIdx.x < 64, input, output);
}

KERNEL(barriers_of_branches_that_whole_blocks_take)
{
    take_branch(blockIdx.x % 2 == 0, input, output);
}
