// One thread copies the tile of 2048 inputs in bulk, and the others wait for it at a barrier in shared memory.
// problem: conv1d
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <utility>

#define TILE 2048
#define MOST (TILE + 2048)

__global__ void convolve(const float* input, const float* kernel, float* output, int size, int taps)
{
    __shared__ alignas(16) float tile[MOST];
    __shared__ float s_taps[2047];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    int base = blockIdx.x * TILE;
    int count = min(TILE + taps - 1, size - base);
    int bulk = count / 4 * 4; // a bulk copy takes multiples of 16 bytes
    if (threadIdx.x == 0) {
        init(&arrived, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    auto token = threadIdx.x == 0 && bulk > 0
                     ? (cuda::device::memcpy_async_tx(tile, input + base, cuda::aligned_size_t<16>(bulk * 4), arrived),
                        cuda::device::barrier_arrive_tx(arrived, 1, bulk * 4))
                     : arrived.arrive();
    for (int k = threadIdx.x; k < taps; k += blockDim.x)
        s_taps[k] = kernel[k];
    for (int j = bulk + threadIdx.x; j < count; j += blockDim.x)
        tile[j] = input[base + j];
    arrived.wait(std::move(token));
    __syncthreads();
    for (int o = threadIdx.x; o < TILE && base + o < size - taps + 1; o += 2 * blockDim.x) {
        float a = 0.0f, b = 0.0f;
        bool two = base + o + blockDim.x < size - taps + 1;
        for (int k = 0; k < taps; k++) {
            a += tile[o + k] * s_taps[k];
            if (two)
                b += tile[o + blockDim.x + k] * s_taps[k];
        }
        output[base + o] = a;
        if (two)
            output[base + o + blockDim.x] = b;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + TILE - 1) / TILE, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
