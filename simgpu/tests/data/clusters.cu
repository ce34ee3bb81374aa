// Blocks of a cluster that use each other's shared memory, in order and with a barrier missing. Blocks of 128 threads,
// clusters of two.
#include <cooperative_groups.h>
#include <cstdint>

#define THREADS 128
#define KERNEL(name) \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) name(const float *input, float *output, unsigned *words)

namespace cg = cooperative_groups;

static __device__ int own() { return blockIdx.x * THREADS + threadIdx.x; }
static __device__ unsigned other() { return cg::this_cluster().block_rank() ^ 1; }
template <typename T> static __device__ T *far(T *here) { return cg::this_cluster().map_shared_rank(here, other()); }

// ---- in order ------------------------------------------------------------------------------------------------------

KERNEL(exchange)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    cg::this_cluster().sync();
    output[own()] = far(tile)[threadIdx.x];
    cg::this_cluster().sync();
}

KERNEL(two_buffers)
{
    __shared__ float tile[2][THREADS];
    for (int i = 0; i < 4; i++) {
        tile[i % 2][threadIdx.x] = input[own()] + i;
        cg::this_cluster().sync();
        output[own()] += far(tile[i % 2])[threadIdx.x ^ 64];
    }
    cg::this_cluster().sync();
}

KERNEL(store_there)
{
    __shared__ float tile[THREADS];
    cg::this_cluster().sync();
    far(tile)[threadIdx.x] = input[own()];
    cg::this_cluster().sync();
    output[own()] = tile[threadIdx.x ^ 64];
}

KERNEL(count_there)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    cg::this_cluster().sync();
    atomicAdd(cg::this_cluster().map_shared_rank(&count, 0), 1u);
    cg::this_cluster().sync();
    output[own()] = *cg::this_cluster().map_shared_rank(&count, 0);
    cg::this_cluster().sync();
}

static __device__ uint32_t address_of(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The blocks tell each other by mbarriers that they have stored, and that they have read.
KERNEL(tell_by_mbarrier)
{
    __shared__ float tile[THREADS];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(&arrived)), "r"(THREADS) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cg::this_cluster().sync();
    far(tile)[threadIdx.x] = input[own()];
    asm volatile("{\n .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
                 " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}\n" ::"r"(address_of(&arrived)),
                 "r"(other())
                 : "memory");
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(
                     address_of(&arrived))
                 : "memory");
    output[own()] = tile[threadIdx.x];
}

// The block that nobody looks into may end.
KERNEL(first_block_ends)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    cg::this_cluster().sync();
    if (other() == 0)
        return;
    output[own()] = tile[threadIdx.x];
}

KERNEL(arrive_then_wait)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    cg::this_cluster().barrier_arrive();
    output[own()] = input[own()];
    cg::this_cluster().barrier_wait();
    output[own()] += far(tile)[threadIdx.x];
    cg::this_cluster().sync();
}

// ---- with a barrier missing ----------------------------------------------------------------------------------------

KERNEL(exchange_without_sync)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = 0;
    cg::this_cluster().sync();
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    output[own()] = far(tile)[threadIdx.x];
    cg::this_cluster().sync();
}

KERNEL(one_buffer)
{
    __shared__ float tile[THREADS];
    for (int i = 0; i < 4; i++) {
        tile[threadIdx.x] = input[own()] + i;
        cg::this_cluster().sync();
        output[own()] += far(tile)[threadIdx.x];
    }
    cg::this_cluster().sync();
}

KERNEL(store_there_without_sync)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = 0;
    cg::this_cluster().sync();
    far(tile)[threadIdx.x] = input[own()] + 1;
    __syncthreads();
    output[own()] = tile[threadIdx.x];
    cg::this_cluster().sync();
}

KERNEL(count_there_without_sync)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    cg::this_cluster().sync();
    if (other() == 0)
        atomicAdd(far(&count), 1u);
    else
        output[own()] = count;
    cg::this_cluster().sync();
}

KERNEL(ends_too_early)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    cg::this_cluster().sync();
    if (other() == 0)
        output[own()] = far(tile)[threadIdx.x];
}

KERNEL(stores_into_one_that_ends)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    cg::this_cluster().sync();
    if (other() == 0)
        far(tile)[threadIdx.x] = 1;
    output[own()] = 0;
}

KERNEL(warps_race)
{
    __shared__ float tile[THREADS], sum[THREADS];
    sum[threadIdx.x] = 0;
    cg::this_cluster().sync();
    tile[threadIdx.x] = input[own()];
    output[own()] = tile[threadIdx.x ^ 64] + far(sum)[threadIdx.x];
    cg::this_cluster().sync();
}

// ---- global memory -------------------------------------------------------------------------------------------------

static __device__ int theirs() { return (blockIdx.x ^ 1) * THREADS + threadIdx.x; }

KERNEL(exchange_in_global_memory)
{
    for (int i = 0; i < 3; i++) {
        output[own()] = input[own()] + i;
        cg::this_cluster().sync();
        const float value = output[theirs()];
        cg::this_cluster().sync();
        output[own()] = value;
    }
}

// Each block adds half of the products, and both add them to the same elements.
KERNEL(add_atomically)
{
    atomicAdd(&output[own() & ~THREADS], input[own()]);
    cg::this_cluster().sync();
    words[own()] = output[own() & ~THREADS] > 0;
}

KERNEL(both_store_the_same)
{
    output[own() & ~THREADS] = 1;
    cg::this_cluster().sync();
    words[own()] = output[own() & ~THREADS] > 0;
}

// The last cluster adds up what all have stored; its first block tells the other one that it is the last.
KERNEL(last_cluster_sums)
{
    __shared__ bool is_last;
    output[own()] = input[own()];
    __threadfence();
    cg::this_cluster().sync();
    if (cg::this_cluster().block_rank() == 0 && threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(words, 1u) == gridDim.x / 2 - 1;
    }
    cg::this_cluster().sync();
    const bool sums = *cg::this_cluster().map_shared_rank(&is_last, 0);
    cg::this_cluster().sync();
    if (sums && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x * THREADS; i += THREADS)
            sum += output[i];
        words[1 + cg::this_cluster().block_rank()] = sum > 0;
    }
}

KERNEL(reads_what_the_other_stores)
{
    output[own()] = input[own()];
    cg::this_cluster().sync();
    output[own()] = output[theirs()] + 1;
    cg::this_cluster().sync();
}

KERNEL(reads_before_the_other_stores)
{
    output[own()] = input[own()];
    words[own()] = output[theirs()] > 0;
    cg::this_cluster().sync();
}

KERNEL(both_store)
{
    output[own() & ~THREADS] = input[own()];
    cg::this_cluster().sync();
}

KERNEL(waits_for_its_own_block)
{
    output[own()] = input[own()];
    __syncthreads();
    words[own()] = output[theirs()] > 0;
    cg::this_cluster().sync();
}

// Waiting for the cluster orders nothing with other clusters.
KERNEL(reads_of_the_next_cluster)
{
    output[own()] = input[own()];
    cg::this_cluster().sync();
    words[own()] = output[(own() + 2 * THREADS) % (gridDim.x * THREADS)] > 0;
}
