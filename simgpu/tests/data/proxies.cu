// What uses memory beside ordinary loads and stores: bulk copies, wgmma and ldmatrix, in order and with a fence, a wait or a
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

// ---- wgmma.fence ---------------------------------------------------------------------------------------------------

static __device__ void fence_registers() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

static __device__ void multiply_fragment(float (&d)[4], const uint32_t (&a)[4], const float *b, bool adds = true)
{
    const uint64_t descriptor = (address_of(b) & 0x3FFFF) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(128 >> 4) << 32;
    asm volatile("{\n .reg .pred adds;\n setp.ne.b32 adds, %9, 0;\n"
                 " wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, adds, 1, 1;\n}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor), "r"(int(adds)));
}

static __device__ void fill(float *b, const float *input)
{
    if (threadIdx.x < 64)
        b[threadIdx.x] = input[threadIdx.x];
    fence();
    __syncthreads();
}

static __device__ void load_fragment(uint32_t (&a)[4], const float *input, int step, unsigned bound)
{
    for (int i = 0; i < 4; i++) {
        const unsigned at = own() + step + i;
        a[i] = __float_as_uint(at < bound ? input[at] * 0.5f : 0.0f);
    }
}

KERNEL(fragments_fenced)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    fill(b, input);
    for (int step = 0; step < int(words[1]) + 3; step++) {
        uint32_t a[4];
        load_fragment(a, input, step, words[0]);
        fence_registers();
        multiply_fragment(d, a, b, step > 0);
        multiply_fragment(d, a, b);
        commit();
        wait<0>(d);
    }
    output[own()] = sum_of(d);
}

// The next fragment is loaded while wgmma is under way.
KERNEL(next_fragment_loaded_ahead)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    uint32_t a[2][4];
    fill(b, input);
    load_fragment(a[0], input, 0, words[0]);
    for (int step = 0; step < 4; step++) {
        fence_registers();
        multiply_fragment(d, a[step % 2], b);
        commit();
        load_fragment(a[(step + 1) % 2], input, step + 1, words[0]);
        wait<0>(d);
    }
    output[own()] = sum_of(d);
}

KERNEL(sums_begin_with_an_offset)
{
    __shared__ __align__(128) float b[64];
    float d[4], e[4];
    for (int i = 0; i < 4; i++) {
        d[i] = input[own() + i];
        e[i] = 2 * d[i];
    }
    const uint32_t a[4] = {1, 2, 3, 4};
    fill(b, input);
    for (int step = 0; step < int(words[1]) + 3; step++) {
        if (step == 0)
            fence_registers();
        multiply_fragment(d, a, b);
        multiply_fragment(e, a, b);
        commit();
    }
    wait<0>(d);
    wait<0>(e);
    output[own()] = sum_of(d) + sum_of(e);
}

KERNEL(sums_scaled_and_fenced)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    const uint32_t a[4] = {1, 2, 3, 4};
    fill(b, input);
    for (int step = 0; step < int(words[1]) + 3; step++) {
        fence_registers();
        multiply_fragment(d, a, b);
        commit();
        wait<0>(d);
        for (float &sum : d)
            sum *= 0.5f;
    }
    output[own()] = sum_of(d);
}

KERNEL(never_fenced)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    const uint32_t a[4] = {1, 2, 3, 4};
    fill(b, input);
    multiply_fragment(d, a, b);
    commit();
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(fenced_before_the_loop)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    fill(b, input);
    fence_registers();
    for (int step = 0; step < int(words[1]) + 3; step++) {
        uint32_t a[4];
        load_fragment(a, input, step, words[0]);
        multiply_fragment(d, a, b);
        commit();
        wait<0>(d);
    }
    output[own()] = sum_of(d);
}

KERNEL(fenced_before_the_load)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    uint32_t a[4];
    fill(b, input);
    fence_registers();
    load_fragment(a, b, 0, 60);
    multiply_fragment(d, a, b);
    commit();
    wait<0>(d);
    output[own()] = sum_of(d);
}

KERNEL(sums_scaled_between)
{
    __shared__ __align__(128) float b[64];
    float d[4] = {};
    const uint32_t a[4] = {1, 2, 3, 4};
    fill(b, input);
    fence_registers();
    for (int step = 0; step < int(words[1]) + 3; step++) {
        multiply_fragment(d, a, b);
        commit();
        wait<0>(d);
        for (float &sum : d)
            sum *= 0.5f;
    }
    output[own()] = sum_of(d);
}

// ---- what a bulk copy reads in global memory, or overwrites --------------------------------------------------------

static __device__ void copy_in(float *to, const float *from, uint64_t *arrived)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(arrived)), "r"(THREADS * 4)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     address_of(to)),
                 "l"(from), "r"(THREADS * 4), "r"(address_of(arrived))
                 : "memory");
}

static __device__ void begin(uint64_t *arrived)
{
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(arrived)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
}

static __device__ void await(uint64_t *arrived)
{
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(
                     address_of(arrived))
                 : "memory");
}

enum Fences { NONE, GLOBAL, SHARED, ALL };

template <Fences fences> static __device__ void copy_back(const float *input, float *output)
{
    __shared__ __align__(16) float tile[THREADS];
    __shared__ uint64_t arrived;
    begin(&arrived);
    output[own()] = input[own()];
    if (fences == ALL)
        asm volatile("fence.proxy.async;" ::: "memory");
    if (fences == GLOBAL)
        asm volatile("fence.proxy.async.global;" ::: "memory");
    if (fences == SHARED)
        fence();
    __syncthreads();
    if (threadIdx.x == 0)
        copy_in(tile, output + own(), &arrived);
    await(&arrived);
    const float value = tile[threadIdx.x ^ 1];
    __syncthreads();
    output[own()] = value;
}

KERNEL(stored_and_copied_back) { copy_back<ALL>(input, output); }
KERNEL(stored_and_copied_back_by_global_fence) { copy_back<GLOBAL>(input, output); }
KERNEL(stored_and_copied_back_by_shared_fence) { copy_back<SHARED>(input, output); }
KERNEL(stored_and_copied_back_without_fence) { copy_back<NONE>(input, output); }

template <bool fences> static __device__ void fill_over(const float *input, float *output)
{
    __shared__ __align__(16) float tile[THREADS];
    __shared__ uint64_t arrived;
    begin(&arrived);
    tile[threadIdx.x] = 0;
    if (fences)
        fence();
    __syncthreads();
    if (threadIdx.x == 0)
        copy_in(tile, input + own(), &arrived);
    await(&arrived);
    output[own()] = tile[threadIdx.x ^ 1];
}

KERNEL(copied_over_zeros) { fill_over<true>(input, output); }
KERNEL(copied_over_zeros_without_fence) { fill_over<false>(input, output); }
