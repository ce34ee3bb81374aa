// What reads shared memory beside ordinary loads: bulk copies, wgmma and ldmatrix, in order and with a fence, a wait or a
// barrier missing. Blocks of 128 threads.
#include <cstdint>
#include <cuda_fp16.h>

#define THREADS 128
#define KERNEL(name) extern "C" __global__ void name(const float *input, float *output, unsigned *words)

static __device__ int own() { return blockIdx.x * THREADS + threadIdx.x; }

static __device__ uint32_t address_of(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

static __device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

static __device__ void copy_out(float *to, const float *from)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
                 "r"(address_of(from)), "r"(THREADS * 4)
                 : "memory");
}

static __device__ void wait_for_copy() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// ---- bulk copies ---------------------------------------------------------------------------------------------------

KERNEL(each_thread_fences)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(output + own(), tile);
        wait_for_copy();
    }
    __syncthreads();
    tile[threadIdx.x] = 1;
}

KERNEL(the_copying_thread_fences)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x == 0) {
        fence();
        copy_out(output + own(), tile);
        wait_for_copy();
    }
}

KERNEL(no_thread_fences)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(output + own(), tile);
        wait_for_copy();
    }
}

KERNEL(one_thread_fences_too_early)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    if (threadIdx.x == 64)
        fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(output + own(), tile);
        wait_for_copy();
    }
}

KERNEL(fences_before_it_stores)
{
    __shared__ __align__(16) float tile[THREADS];
    fence();
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(output + own(), tile);
        wait_for_copy();
    }
}

KERNEL(overwritten_while_copied)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    fence();
    __syncthreads();
    if (threadIdx.x == 0)
        copy_out(output + own(), tile);
    __syncthreads();
    tile[threadIdx.x] = 1;
}

// The thread that copies tells the others by an mbarrier that the copy has read.
KERNEL(reader_arrives)
{
    __shared__ __align__(16) float tile[THREADS];
    __shared__ uint64_t empty;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&empty)) : "memory");
    tile[threadIdx.x] = input[own()];
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_out(output + own(), tile);
        wait_for_copy();
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(&empty)) : "memory");
    }
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(
                     address_of(&empty))
                 : "memory");
    tile[threadIdx.x] = 1;
}

// ---- ldmatrix ------------------------------------------------------------------------------------------------------

static __device__ float load_rows(const float *tile)
{
    uint32_t a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address_of(tile + (threadIdx.x % 32) * 4)));
    return __uint_as_float(a) + __uint_as_float(b) + __uint_as_float(c) + __uint_as_float(d);
}

KERNEL(matrix_after_barrier)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    output[own()] = load_rows(tile);
    __syncthreads();
    tile[threadIdx.x] = 1;
}

KERNEL(matrix_before_barrier)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    output[own()] = load_rows(tile);
}

KERNEL(matrix_overwritten)
{
    __shared__ __align__(16) float tile[THREADS];
    tile[threadIdx.x] = input[own()];
    __syncthreads();
    output[own()] = load_rows(tile);
    tile[threadIdx.x] = 1;
}

KERNEL(matrix_of_nothing)
{
    __shared__ __align__(16) float tile[THREADS];
    if (threadIdx.x < 64)
        tile[threadIdx.x] = input[own()];
    __syncthreads();
    output[own()] = load_rows(tile);
}

// ---- wgmma ---------------------------------------------------------------------------------------------------------

// 8 columns and 8 elements of k, in two core matrices of 8 rows of 16 bytes.
static __device__ uint64_t descriptor(const float *matrix)
{
    return (address_of(matrix) & 0x3FFFF) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(128 >> 4) << 32;
}

static __device__ void multiply(float (&d)[4], float a, const float *b)
{
    const uint32_t bits = __float_as_uint(a);
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 1, 1, 1;\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(bits), "l"(descriptor(b))
                 : "memory");
}

static __device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int left> static __device__ void wait(float (&d)[4])
{
    asm volatile("wgmma.wait_group.sync.aligned %4;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "n"(left)
                 : "memory");
}

static __device__ float sum_of(const float (&d)[4]) { return d[0] + d[1] + d[2] + d[3]; }

KERNEL(product)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x < 64)
            b[threadIdx.x] = input[threadIdx.x + i];
        fence();
        __syncthreads();
        multiply(d, 1, b);
        commit();
        wait<0>(d);
        __syncthreads();
    }
    output[own()] = sum_of(d);
}

KERNEL(product_of_two_buffers)
{
    __shared__ __align__(128) float b[2][64];
    float d[4] = {};
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 64)
            b[i % 2][threadIdx.x] = input[threadIdx.x + i];
        fence();
        __syncthreads();
        multiply(d, 1, b[i % 2]);
        commit();
        wait<0>(d);
    }
    output[own()] = sum_of(d);
}

KERNEL(product_without_fence)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    multiply(d, 1, b);
    commit();
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(product_without_barrier)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    multiply(d, 1, b);
    commit();
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(product_overwritten)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x < 64)
            b[threadIdx.x] = input[threadIdx.x + i];
        fence();
        __syncthreads();
        multiply(d, 1, b);
        commit();
        __syncthreads();
    }
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(product_waits_for_too_few)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x < 64)
            b[threadIdx.x] = input[threadIdx.x + i];
        fence();
        __syncthreads();
        multiply(d, 1, b);
        commit();
        wait<1>(d);
        __syncthreads();
    }
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(product_of_two_groups)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {}, e[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    __syncthreads();
    multiply(d, 1, b);
    multiply(d, 2, b);
    commit();
    multiply(e, 3, b);
    commit();
    wait<1>(d);
    output[own()] = sum_of(d);
    wait<0>(e);
    output[own()] += sum_of(e);
}

KERNEL(sums_used_too_early)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    __syncthreads();
    multiply(d, 1, b);
    commit();
    output[own()] = sum_of(d);
    wait<0>(d);
}

KERNEL(sums_of_the_later_group)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {}, e[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    __syncthreads();
    multiply(d, 1, b);
    commit();
    multiply(e, 3, b);
    commit();
    wait<1>(d);
    output[own()] = sum_of(d) + sum_of(e);
    wait<0>(e);
}

KERNEL(never_committed)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    __syncthreads();
    for (int i = 0; i < 3; i++)
        multiply(d, 1, b);
    wait<0>(d);
    output[own()] = sum_of(d);
}
