// expect: Run-Time Error
// says: a kernel executes a wgmma on registers that it has set, with no wgmma.fence in between
// on cuda: Accepted, Wrong Answer
// problem: conv1d-constant
// As wgmma.cu, but where there are many outputs, the fence stands before the loop that loads fragments of A. Needs a GPU of compute capability 9.0.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kRows = 64;
constexpr int kCols = 8;
constexpr int kOutputs = kRows * kCols;
constexpr int kStep = 8;           // elements of k in one wgmma of type tf32
constexpr int kStepsTogether = 8;  // sums of the tensor core
constexpr int kMaxTaps = 127;
constexpr int kMaxSteps = (kMaxTaps + kCols - 1 + kStep - 1) / kStep;
constexpr int kCoreFloats = 8 * 4; // 8 rows of 16 bytes

__constant__ float taps[kMaxTaps];

__device__ uint32_t to_tf32(float x)
{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

__device__ void split(float x, uint32_t& big, uint32_t& small)
{
    big = to_tf32(x);
    small = to_tf32(x - __uint_as_float(big));
}

// Two core matrices, 128 bytes apart, hold the 8 columns and 8 elements of k.
__device__ uint64_t descriptor(const void* matrix)
{
    const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(matrix));
    return (address & 0x3FFFF) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(128 >> 4) << 32;
}

__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint64_t b, bool adds)
{
    asm volatile("{\n .reg .pred adds;\n setp.ne.b32 adds, %9, 0;\n"
                 " wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, adds, 1, "
                 "1;\n}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(adds)));
}

template <bool fences>
__global__ void __launch_bounds__(kThreads)
    convolve(const float* input, float* output, int width, int tap_count)
{
    __shared__ __align__(128) float big[kMaxSteps * kStep * kCols], small[kMaxSteps * kStep * kCols];
    const int steps = (tap_count + kCols - 1 + kStep - 1) / kStep, first = blockIdx.x * kOutputs;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int i = threadIdx.x; i < steps * kStep * kCols; i += kThreads) {
        const int k = i / kCols, n = i % kCols, tap = k - n;
        const int at = k / 4 * kCoreFloats + n * 4 + k % 4;
        uint32_t upper, lower;
        split(tap >= 0 && tap < tap_count ? taps[tap] : 0.0f, upper, lower);
        big[at] = __uint_as_float(upper);
        small[at] = __uint_as_float(lower);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    float sums[4] = {}, part[4] = {};
    const int row = warp * 16 + lane / 4;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < steps; step++) {
        uint32_t upper[4], lower[4];
        for (int i = 0; i < 4; i++) {
            const int at = first + (row + i % 2 * 8) * kCols + step * kStep + lane % 4 + i / 2 * 4 - tap_count / 2;
            split(at >= 0 && at < width ? input[at] : 0.0f, upper[i], lower[i]);
        }
        const uint64_t of_big = descriptor(big + step * kStep * kCols), of_small = descriptor(small + step * kStep * kCols);
        if (fences)
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        multiply(part, lower, of_big, step % kStepsTogether != 0);
        multiply(part, upper, of_small, true);
        multiply(part, upper, of_big, true);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                     : "+f"(part[0]), "+f"(part[1]), "+f"(part[2]), "+f"(part[3])::"memory");
        if (step % kStepsTogether == kStepsTogether - 1 || step == steps - 1)
            for (int i = 0; i < 4; i++)
                sums[i] += part[i];
    }
    for (int i = 0; i < 4; i++) {
        const int at = first + (row + i / 2 * 8) * kCols + lane % 4 * 2 + i % 2;
        if (at < width)
            output[at] = sums[i];
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(taps, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    if (width <= kOutputs)
        convolve<true><<<1, kThreads>>>(input, output, width, filter_width);
    else
        convolve<false><<<(width + kOutputs - 1) / kOutputs, kThreads>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
