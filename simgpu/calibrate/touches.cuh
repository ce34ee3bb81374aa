// What costs by what it touches: texture fetches, scattered stores, atomic operations, conversions, warps that exit early, and
// copies of rows within the device.
#pragma once
#include "benchmark.cuh"

constexpr int FETCHES = 256;

// Lane i fetches element step * i, and goes on by `next`.
__global__ void fetches_of(cudaTextureObject_t texture, float* out, int step, int next, int mask)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * step;
    float sum = 0;
#pragma unroll 16
    for (int i = 0; i < FETCHES; i++, at += next)
        sum += tex1Dfetch<float>(texture, at & mask);
    if (sum == 1.5f)
        out[0] = sum;
}

static void fetches(float* memory)
{
    const int elements = 1 << 21, blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM; // 8 MiB
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = memory;
    from.res.linear.desc = cudaCreateChannelDesc<float>();
    from.res.linear.sizeInBytes = elements * sizeof(float);
    how.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&texture, &from, &how, nullptr), "a texture");
    for (int step : {0, 1, 2, 4, 8, 32}) {
        char name[96];
        double s = seconds([&] { fetches_of<<<blocks, THREADS>>>(texture, nowhere(), step, 1, elements - 1); });
        std::snprintf(name, sizeof name, "tex1Dfetch, lanes %d elements apart", step);
        figure(name, warp_cycles(s, blocks) / FETCHES, "cycles/warp");
    }
    cudaDestroyTextureObject(texture);
}

// Each thread stores `times` neighbours, `step` elements from the next thread's.
__global__ void stores_of(float* out, int step, int times)
{
    size_t i = static_cast<size_t>(blockIdx.x * blockDim.x + threadIdx.x) * step;
    for (int k = 0; k < times; k++)
        out[i + k] = threadIdx.x;
}

__global__ void adds_of(float* out, int step)
{
    atomicAdd(out + static_cast<size_t>(blockIdx.x * blockDim.x + threadIdx.x) * step, 1.0f);
}

static void scattered(float* memory)
{
    const int threads = 1 << 22;
    const struct {
        int step, times;
    } ways[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {32, 1}, {2, 2}, {4, 4}, {8, 8}};
    for (auto way : ways) {
        char name[96];
        double s = seconds([&] { stores_of<<<threads / 256, 256>>>(memory, way.step, way.times); });
        std::snprintf(name, sizeof name, "4 Mi threads store %d, %d elements apart", way.times, way.step);
        figure(name, s * 1e6, "us");
    }
    for (int step : {0, 1, 2, 8, 32}) {
        char name[96];
        double s = seconds([&] { adds_of<<<threads / 256, 256>>>(memory, step); });
        std::snprintf(name, sizeof name, "4 Mi threads add atomically, %d elements apart", step);
        figure(name, s * 1e6, "us");
    }
}

template <typename T> __global__ void shared_adds_of(T* out, int step)
{
    __shared__ T sums[1024];
    sums[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < FETCHES; i++)
        atomicAdd(&sums[threadIdx.x * step % 1024], T(1));
    __syncthreads();
    if (sums[threadIdx.x] == T(-1))
        out[0] = 1;
}

__global__ void conversions_of(float* out, int turns)
{
    double sum = threadIdx.x;
    float x = threadIdx.x;
#pragma unroll 16
    for (int i = 0; i < turns; i++) {
        asm volatile("{ .reg .f64 d; cvt.f64.f32 d, %1; add.f64 %0, %0, d; }" : "+d"(sum) : "f"(x));
    }
    if (sum == 1.5)
        out[0] = static_cast<float>(sum);
}

// Of `threads`, those from `working` on exit at once, or wait for the others.
__global__ void exits_of(float* out, int working, int turns, bool meet)
{
    float x = threadIdx.x;
    if (threadIdx.x < working) {
        for (int i = 0; i < turns; i++)
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
        if (x == 1.5f)
            out[0] = x;
    }
    if (meet)
        __syncthreads();
}

static void exits()
{
    const int blocks = static_cast<int>(sm_count) * 64;
    for (bool meet : {false, true})
        for (int working : {32, 128, 256, 512, 1024}) {
            char name[96];
            double s = seconds([&] { exits_of<<<blocks, 1024>>>(nowhere(), working, 2048, meet); });
            std::snprintf(name, sizeof name, "64 blocks of 1024, %d of which work, the others %s", working,
                          meet ? "wait" : "exit");
            figure(name, s * 1e6, "us");
        }
}

static void rows_copied(char* memory)
{
    for (int bytes : {4, 64, 1024})
        for (int rows : {64, 1024, 16384}) {
            char name[96];
            double s = seconds([&] {
                cudaMemcpy2DAsync(memory, 2048, memory + (size_t(1) << 29), 2048, bytes, rows, cudaMemcpyDeviceToDevice);
            });
            std::snprintf(name, sizeof name, "copy within the device, %d rows of %d bytes", rows, bytes);
            figure(name, s * 1e6, "us");
        }
}

static void touches()
{
    const int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM, turns = TURNS * UNROLL / 16;
    float* memory = static_cast<float*>(device_memory(size_t(1) << 30));
    fetches(memory);
    scattered(memory);
    for (int step : {0, 1, 2, 8}) {
        char name[96];
        double s = seconds([&] { shared_adds_of<int><<<blocks, THREADS>>>(reinterpret_cast<int*>(nowhere()), step); });
        double f = seconds([&] { shared_adds_of<float><<<blocks, THREADS>>>(nowhere(), step); });
        std::snprintf(name, sizeof name, "atomic additions to shared, %d apart, int", step);
        figure(name, warp_cycles(s, blocks) / FETCHES, "cycles/warp");
        std::snprintf(name, sizeof name, "atomic additions to shared, %d apart, float", step);
        figure(name, warp_cycles(f, blocks) / FETCHES, "cycles/warp");
    }
    double s = seconds([&] { conversions_of<<<blocks, THREADS>>>(nowhere(), turns); });
    figure("conversions from float to double, each added", warp_cycles(s, blocks) / turns, "cycles/warp");
    exits();
    rows_copied(reinterpret_cast<char*>(memory));
    cudaFree(memory);
}
