// expect: Run-Time Error
// says: has written: bulk copies and wgmma see that only if a fence.proxy.async comes after the store and before the barrier
// on cuda: Accepted, Wrong Answer
// problem: conv1d
// As bulk_load_of_stored.cu, but no fence stands between the stores of the padded copy and the bulk copy.
// Needs a GPU of compute capability 9.0.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kTile = 1024;
constexpr int kMaxTaps = 2048;
constexpr int kPart = kTile + kMaxTaps;

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void convolve(const float* input, const float* kernel, float* padded, float* output, int input_size,
                         int kernel_size)
{
    __shared__ __align__(16) float tile[kPart];
    __shared__ __align__(8) uint64_t arrived;
    float* part = padded + blockIdx.x * kPart;
    const int first = blockIdx.x * kTile;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    for (int i = threadIdx.x; i < kPart; i += kThreads)
        part[i] = first + i < input_size ? input[first + i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
                     "r"(int(sizeof tile))
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(tile)),
                     "l"(part), "r"(int(sizeof tile)), "r"(shared_address(&arrived))
                     : "memory");
    }
    asm volatile("{\n .reg .pred done;\nagain:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n @!done bra again;\n}\n" ::"r"(
                     shared_address(&arrived))
                 : "memory");
    for (int i = threadIdx.x; i < kTile && first + i <= input_size - kernel_size; i += kThreads) {
        float sum = 0;
        for (int k = 0; k < kernel_size; k++)
            sum += tile[i + k] * kernel[k];
        output[first + i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int blocks = (input_size - kernel_size + kTile) / kTile;
    float* padded;
    cudaMalloc(&padded, blocks * kPart * sizeof(float));
    convolve<<<blocks, kThreads>>>(input, kernel, padded, output, input_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(padded);
}
