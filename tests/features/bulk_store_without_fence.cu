// expect: Run-Time Error
// says: a bulk copy or a wgmma uses memory that a kernel has stored to, with no fence.proxy.async in between
// on cuda: Accepted, Wrong Answer
// problem: conv1d
// As bulk_copy.cu, but no fence makes the results visible to the copy that brings them to the output.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kTile = 1024;
constexpr int kMaxTaps = 2048;
constexpr int kBuffers = 2;
constexpr int kTilesPerBlock = 4;

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void barrier_init(uint64_t* barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void barrier_expect(uint64_t* barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait(uint64_t* barrier, uint32_t parity)
{
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra again;\n}\n" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ void copy_in(float* to, const float* from, uint32_t bytes, uint64_t* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ void copy_out(float* to, const float* from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// The elements of the input that a tile needs, and how many of them a bulk copy can take: multiples of 16 bytes.
struct Span {
    int first, count, bulk;
};

__device__ Span span_of(int tile, int input_size, int kernel_size)
{
    Span span;
    span.first = tile * kTile;
    span.count = max(0, min(kTile + kernel_size - 1, input_size - span.first));
    span.bulk = span.count / 4 * 4;
    return span;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ __align__(128) float memory[];
    __shared__ __align__(8) uint64_t arrived[kBuffers];
    __shared__ __align__(128) float results[kTile];
    float* taps = memory;
    float* tiles = memory + kMaxTaps;
    const int output_size = input_size - kernel_size + 1;
    const int first_tile = blockIdx.x * kTilesPerBlock;

    if (threadIdx.x == 0) {
        for (int i = 0; i < kBuffers; i++)
            barrier_init(&arrived[i], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    for (int k = threadIdx.x; k < kernel_size; k += kThreads)
        taps[k] = kernel[k];
    __syncthreads();

    for (int n = -1; n < kTilesPerBlock; n++) {
        // Ask for the next tile while this one is computed.
        const Span next = span_of(first_tile + n + 1, input_size, kernel_size);
        const int next_buffer = (n + 1) % kBuffers;
        float* next_tile = tiles + next_buffer * (kTile + kMaxTaps);
        if (threadIdx.x == 0 && n + 1 < kTilesPerBlock && next.bulk > 0) {
            barrier_expect(&arrived[next_buffer], next.bulk * sizeof(float));
            copy_in(next_tile, input + next.first, next.bulk * sizeof(float), &arrived[next_buffer]);
        }
        if (n + 1 < kTilesPerBlock && threadIdx.x < next.count - next.bulk)
            next_tile[next.bulk + threadIdx.x] = input[next.first + next.bulk + threadIdx.x];
        if (n < 0) {
            __syncthreads();
            continue;
        }
        const Span span = span_of(first_tile + n, input_size, kernel_size);
        const float* tile = tiles + n % kBuffers * (kTile + kMaxTaps);
        const int outputs = min(kTile, output_size - span.first);
        if (span.bulk > 0)
            barrier_wait(&arrived[n % kBuffers], n / kBuffers % 2);
        for (int i = threadIdx.x; i < outputs; i += kThreads) {
            float sum = 0;
            for (int k = 0; k < kernel_size; k++)
                sum += tile[i + k] * taps[k];
            if (outputs == kTile)
                results[i] = sum;
            else
                output[span.first + i] = sum;
        }
        __syncthreads();
        if (threadIdx.x == 0 && outputs == kTile) {
            copy_out(output + span.first, results, sizeof results);
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int outputs_per_block = kTile * kTilesPerBlock;
    const int blocks = (input_size - kernel_size + 1 + outputs_per_block - 1) / outputs_per_block;
    const int bytes = (kMaxTaps + kBuffers * (kTile + kMaxTaps)) * sizeof(float);
    cudaFuncSetAttribute(convolve, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    convolve<<<blocks, kThreads, bytes>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
