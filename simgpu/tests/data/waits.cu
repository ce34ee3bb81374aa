// Waits among the threads of a block that are not __syncthreads(), and the same with a wait missing. Blocks of 128
// threads. `words` is all zeros.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

#define THREADS 128
#define KERNEL(name) extern "C" __global__ void name(const float *input, float *output, unsigned *words)

static __device__ int own() { return blockIdx.x * THREADS + threadIdx.x; }
static __device__ int other() { return THREADS - 1 - threadIdx.x; }

typedef cuda::barrier<cuda::thread_scope_block> Barrier;

// ---- in order ------------------------------------------------------------------------------------------------------

KERNEL(arrive_and_wait)
{
    __shared__ float tile[THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = input[own()] + i;
        barrier.arrive_and_wait();
        output[own()] += tile[other()];
        barrier.arrive_and_wait();
    }
}

KERNEL(arrive_then_wait)
{
    __shared__ float tile[THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();
    tile[threadIdx.x] = input[own()];
    Barrier::arrival_token token = barrier.arrive();
    float mine = input[own()] * 2;
    barrier.wait(std::move(token));
    output[own()] = tile[other()] + mine;
}

// The lower half fills two tiles in turn, the upper half uses them.
KERNEL(half_produces_half_consumes)
{
    __shared__ float tile[2][THREADS / 2];
    __shared__ Barrier full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], THREADS);
        init(&empty[threadIdx.x], THREADS);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < THREADS / 2) {
            if (i >= 2)
                empty[i % 2].arrive_and_wait();
            tile[i % 2][threadIdx.x] = input[own()] + i;
            (void)full[i % 2].arrive();
        } else {
            full[i % 2].arrive_and_wait();
            output[own()] += tile[i % 2][other()];
            if (i < 2)
                (void)empty[i % 2].arrive();
        }
    }
}

KERNEL(named_barriers)
{
    __shared__ float tile[THREADS / 2];
    if (threadIdx.x < THREADS / 2) {
        tile[threadIdx.x] = input[own()];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        output[own()] = tile[other()];
    }
}

KERNEL(pipeline_of_the_block)
{
    __shared__ float tiles[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 3; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tiles[i % 2][threadIdx.x], &input[own()], cuda::aligned_size_t<4>(4), pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        output[own()] += tiles[i % 2][other()];
        pipeline.consumer_release();
    }
}

// Each thread has signalled the next copy before anybody waits for this one.
KERNEL(pipeline_one_ahead)
{
    __shared__ float tiles[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = -1; i < 11; i++) {
        if (i < 10) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tiles[(i + 1) % 2][threadIdx.x], &input[own()], cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        }
        if (i < 0)
            continue;
        pipeline.consumer_wait();
        output[own()] += tiles[i % 2][other()];
        pipeline.consumer_release();
    }
}

// The first copy is waited for, the others are not.
KERNEL(pipeline_one_ahead_waits_once)
{
    __shared__ float tiles[12][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 12> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 3; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tiles[i][threadIdx.x], &input[own()], cuda::aligned_size_t<4>(4), pipeline);
        pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    output[own()] += tiles[0][other()] + tiles[1][other()];
}

// One sum for each block; the block that finishes last adds them up. words[0] counts the blocks that have finished.
static __device__ void add_up(float *output, bool is_last)
{
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (int block = 0; block < gridDim.x; block++)
            sum += output[block];
        output[gridDim.x * THREADS - 1] = sum;
    }
}

KERNEL(last_block)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        __threadfence();
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(last_block_of_all_threads)
{
    __shared__ bool is_last;
    if (threadIdx.x == 40)
        output[blockIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(last_block_by_release)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        unsigned before;
        output[blockIdx.x] = input[own()];
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(words) : "memory");
        is_last = before == gridDim.x - 1;
    }
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(flags_of_neighbours)
{
    volatile unsigned *flags = words;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        __threadfence();
        flags[blockIdx.x] = 1;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0)
                continue;
            output[gridDim.x + blockIdx.x] = output[blockIdx.x - 1];
        }
    }
}

KERNEL(flags_of_neighbours_read_volatile)
{
    const volatile float *parts = output;
    volatile unsigned *flags = words;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        __threadfence();
        flags[blockIdx.x] = 1;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0)
                continue;
            output[gridDim.x + blockIdx.x] = parts[blockIdx.x - 1];
        }
    }
}

/* The flag is all that a block tells: a plain store is enough. */
KERNEL(flags_that_are_values)
{
    const volatile unsigned *flags = words;
    if (threadIdx.x == 0) {
        words[blockIdx.x] = 1 + blockIdx.x;
        unsigned before = 1;
        while (blockIdx.x > 0 && (before = flags[blockIdx.x - 1]) == 0)
            continue;
        output[own()] = before;
    }
}

KERNEL(barrier_of_those_that_are_left)
{
    __shared__ float tile[THREADS];
    if (threadIdx.x >= THREADS / 2)
        return;
    tile[threadIdx.x] = input[own()];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    output[own()] = tile[THREADS / 2 - 1 - threadIdx.x];
}

// Each block adds to what the block before it has stored.
KERNEL(blocks_in_turn)
{
    if (threadIdx.x == 0)
        while (((volatile unsigned *)words)[0] != blockIdx.x)
            continue;
    __syncthreads();
    output[threadIdx.x] += input[own()];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        ((volatile unsigned *)words)[0] = blockIdx.x + 1;
}

// The tiles that blocks take one by one overlap, and both write the same there.
KERNEL(tiles_that_agree_where_they_overlap)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(words, 1);
    __syncthreads();
    output[tile * (THREADS - 8) + threadIdx.x] = tile * (THREADS - 8) + threadIdx.x;
}

KERNEL(exits_before_a_barrier_of_all)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    if (threadIdx.x >= THREADS / 2)
        return;
    __syncthreads();
    output[own()] = tile[other()];
}

// ---- waits that are missing ----------------------------------------------------------------------------------------

KERNEL(arrive_without_wait)
{
    __shared__ float tile[THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();
    tile[threadIdx.x] = input[own()];
    (void)barrier.arrive();
    output[own()] = tile[other()];
}

KERNEL(second_wait_missing)
{
    __shared__ float tile[THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = input[own()] + i;
        barrier.arrive_and_wait();
        output[own()] += tile[other()];
    }
}

KERNEL(initialised_too_late)
{
    __shared__ float tile[THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    tile[threadIdx.x] = input[own()];
    barrier.arrive_and_wait();
    output[own()] = tile[other()];
}

KERNEL(consumers_do_not_wait)
{
    __shared__ float tile[2][THREADS / 2];
    __shared__ Barrier full[2];
    if (threadIdx.x < 2)
        init(&full[threadIdx.x], THREADS);
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x < THREADS / 2) {
            tile[i % 2][threadIdx.x] = input[own()] + i;
            (void)full[i % 2].arrive();
        } else {
            (void)full[i % 2].arrive();
            output[own()] += tile[i % 2][other()];
        }
    }
}

KERNEL(arrives_at_a_named_barrier)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    output[own()] = tile[other()];
}

KERNEL(arrives_at_another_barrier)
{
    __shared__ float tile[THREADS];
    if (threadIdx.x >= THREADS / 2) {
        tile[threadIdx.x] = input[own()];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
        return;
    }
    asm volatile("bar.sync 2, 128;" ::: "memory");
    output[own()] = tile[other()];
}

KERNEL(exits_before_a_counted_barrier)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    if (threadIdx.x >= 32)
        return;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    output[own()] = tile[threadIdx.x + 32];
}

KERNEL(pipeline_without_consumer_wait)
{
    __shared__ float tiles[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 2; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tiles[i % 2][threadIdx.x], &input[own()], cuda::aligned_size_t<4>(4), pipeline);
        pipeline.producer_commit();
        output[own()] += tiles[i % 2][other()];
        pipeline.consumer_release();
    }
}

KERNEL(own_pipeline_without_consumer_wait)
{
    __shared__ float tiles[2][THREADS];
    auto pipeline = cuda::make_pipeline();
    for (int i = 0; i < 2; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&tiles[i % 2][threadIdx.x], &input[own()], cuda::aligned_size_t<4>(4), pipeline);
        pipeline.producer_commit();
        __syncthreads();
        output[own()] += tiles[i % 2][other()];
        pipeline.consumer_release();
        __syncthreads();
    }
}

KERNEL(last_block_without_fence)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(counted_before_it_is_stored)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    if (threadIdx.x == 40) {
        output[blockIdx.x] = input[own()];
        __threadfence();
    }
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(counted_without_waiting_for_the_block)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        output[blockIdx.x] = input[own()];
    __threadfence();
    if (threadIdx.x == 64)
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    __syncthreads();
    add_up(output, is_last);
}

KERNEL(flag_without_fence)
{
    volatile unsigned *flags = words;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        flags[blockIdx.x] = 1;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0)
                continue;
            output[gridDim.x + blockIdx.x] = output[blockIdx.x - 1];
        }
    }
}

KERNEL(last_block_without_fence_reads_volatile)
{
    const volatile float *parts = output;
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        output[gridDim.x * THREADS - 1 - threadIdx.x] = parts[threadIdx.x];
}

KERNEL(flag_without_fence_reads_volatile)
{
    const volatile float *parts = output;
    volatile unsigned *flags = words;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        flags[blockIdx.x] = 1;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0)
                continue;
            output[gridDim.x + blockIdx.x] = parts[blockIdx.x - 1];
        }
    }
}

// Each block counts itself, though not only the last one writes the result.
KERNEL(every_block_writes_the_sum)
{
    __shared__ unsigned before;
    if (threadIdx.x == 0)
        output[blockIdx.x] = input[own()];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        before = atomicAdd(words, 1);
    __syncthreads();
    output[THREADS + threadIdx.x] = before;
}

KERNEL(tiles_that_differ_where_they_overlap)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(words, 1);
    __syncthreads();
    output[tile * (THREADS - 8) + threadIdx.x] = tile;
}

// The first block tells others that it has cleared what one of them writes, but with no fence.
KERNEL(cleared_without_a_fence)
{
    if (blockIdx.x == 0)
        output[threadIdx.x] = 0;
    unsigned before = atomicAdd(&words[threadIdx.x], 1);
    if (blockIdx.x == 1)
        output[threadIdx.x] = input[own()] + 1 + before;
}

// ---- the read-only cache -------------------------------------------------------------------------------------------

// __ldg(), which stays where it is.
static __device__ float read_only(const float *from)
{
    float value;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
}

// A load comes before the store of the same thread: the cache holds no old value.
KERNEL(read_only_before_the_store)
{
    output[own()] = read_only(output + own()) + input[own()];
}

KERNEL(read_only_after_the_store)
{
    output[own()] = input[own()] + 1;
    words[own()] = read_only(output + own());
}

KERNEL(read_only_behind_a_barrier)
{
    output[own()] = input[own()] + 1;
    __syncthreads();
    words[own()] = read_only(output + blockIdx.x * THREADS + other());
}

KERNEL(read_only_by_the_last_block)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        output[blockIdx.x] = input[own()];
        __threadfence();
        is_last = atomicAdd(words, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        output[gridDim.x + threadIdx.x] = read_only(output + threadIdx.x);
}
