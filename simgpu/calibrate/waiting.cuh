// How long a warp waits: for loads of all kinds, for data that it reads for the first time, for results.
#pragma once
#include "benchmark.cuh"

// ---- latencies ---------------------------------------------------------------------------------------------------

__global__ void chase(const uint64_t* first, int steps, long long* cycles)
{
    const uint64_t* at = first;
    for (int i = 0; i < steps / 8; i++)
        at = reinterpret_cast<const uint64_t*>(*at);
    long long begin = clock64();
    for (int i = 0; i < steps; i++)
        at = reinterpret_cast<const uint64_t*>(*at);
    cycles[0] = clock64() - begin;
    cycles[1] = reinterpret_cast<long long>(at);
}

__global__ void chase_shared(int steps, long long* cycles)
{
    __shared__ int next[32];
    next[threadIdx.x] = (threadIdx.x + 1) % 32;
    __syncwarp();
    int at = 0;
    long long begin = clock64();
    for (int i = 0; i < steps; i++)
        at = next[at];
    cycles[0] = clock64() - begin;
    cycles[1] = at;
}

__global__ void chain(int steps, float start, long long* cycles)
{
    float a = start;
    long long begin = clock64();
#pragma unroll 32
    for (int i = 0; i < steps; i++)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
    cycles[0] = clock64() - begin;
    cycles[1] = static_cast<long long>(a);
}

static double latency(const char* name, size_t bytes, size_t stride)
{
    static long long* cycles = static_cast<long long*>(device_memory(64));
    char* base = static_cast<char*>(device_memory(bytes));
    std::vector<uint64_t> list(bytes / 8);
    size_t count = bytes / stride, at = 0;
    for (size_t i = 0; i < count; i++) { // an odd stride visits all elements of a power of two
        size_t next = (at + 40503) % count;
        list[at * stride / 8] = reinterpret_cast<uint64_t>(base) + next * stride;
        at = next;
    }
    cudaMemcpy(base, list.data(), bytes, cudaMemcpyHostToDevice);
    int steps = bytes > l2_bytes ? 4096 : 65536;
    long long found = 0;
    chase<<<1, 1>>>(reinterpret_cast<uint64_t*>(base), steps, cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(base);
    figure(name, found / (steps * clock_hz), "s");
    return found;
}

static void latencies()
{
    long long* cycles = static_cast<long long*>(device_memory(64));
    long long found = 0;
    latency("l1_latency_s", 64 << 10, 128);
    latency("l2_latency_s", 8 << 20, 128);
    latency("global_latency_s", size_t(1) << 31, 4096);
    chase_shared<<<1, 32>>>(65536, cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    figure("shared_latency_s", found / (65536 * clock_hz), "s");
    chain<<<1, 32>>>(65536, 0, cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    figure("arithmetic_latency_s", found / (65536 * clock_hz), "s");
}

// ---- first reads -------------------------------------------------------------------------------------------------

// Walks through data that only memory holds, `stride` bytes per step: with one thread, and with one per multiprocessor.
static void cold_walk(int stride, int blocks)
{
    static long long* cycles = static_cast<long long*>(device_memory(64));
    static void* flush = device_memory(2 * l2_bytes);
    constexpr int STEPS = 1024;
    size_t bytes = static_cast<size_t>(stride) * (STEPS + 16);
    char* base = static_cast<char*>(device_memory(bytes));
    std::vector<uint64_t> list(bytes / 8);
    for (size_t at = 0; at < bytes; at += stride)
        list[at / 8] = reinterpret_cast<uint64_t>(base) + (at + stride) % bytes;
    long long found = 0;
    cudaMemcpy(base, list.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(flush, 1, 2 * l2_bytes);
    chase<<<blocks, 1>>>(reinterpret_cast<uint64_t*>(base), STEPS, cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(base);
    char name[80];
    std::snprintf(name, sizeof name, "cold walk, step of %d bytes, %d blocks", stride, blocks);
    figure(name, static_cast<double>(found) / STEPS, "cycles");
}

static void cold()
{
    for (int blocks : {1, 18, 132})
        for (int stride : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 65536})
            cold_walk(stride, blocks);
}

// The warps of one block read a filter of PLANES planes; elements at the same place of all planes follow each other.
template <int PLANES> __global__ void constant_planes(int turns, int rows, int cols, float* out, long long* cycles)
{
    float sum[PLANES] = {};
    float element = threadIdx.x;
    long long begin = 0;
    for (int turn = -1; turn < turns; turn++) {
        if (turn == 0)
            begin = clock64();
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
#pragma unroll
                for (int p = 0; p < PLANES; p++)
                    sum[p] += element * c_table[(p * rows + r) * cols + c];
    }
    if (threadIdx.x == 0)
        cycles[0] = clock64() - begin;
    for (int p = 1; p < PLANES; p++)
        sum[0] += sum[p];
    if (sum[0] == 12345)
        out[0] = sum[0];
}

template <int PLANES> static void constant_plane(int side, int threads)
{
    static long long* cycles = static_cast<long long*>(device_memory(64));
    constexpr int TURNS_HERE = 200;
    long long found = 0;
    constant_planes<PLANES><<<1, threads>>>(TURNS_HERE, side, side, nowhere(), cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    char name[96];
    std::snprintf(name, sizeof name, "constant, %d planes of %d x %d, one block of %d", PLANES, side, side, threads);
    figure(name, static_cast<double>(found) / (TURNS_HERE * PLANES * side * side), "cycles/element");
}

static void planes()
{
    for (int threads : {32, 128, 256, 1024})
        for (int side : {3, 5, 7, 15}) {
            constant_plane<1>(side, threads);
            constant_plane<2>(side, threads);
            constant_plane<3>(side, threads);
            constant_plane<4>(side, threads);
            constant_plane<5>(side, threads);
            constant_plane<6>(side, threads);
            constant_plane<8>(side, threads);
        }
}

// ---- waiting for a result ----------------------------------------------------------------------------------------

#define CHAIN(name, text)                                                                                              \
    __global__ void name(int steps, float start, long long* cycles)                                                    \
    {                                                                                                                  \
        __shared__ volatile float s_words[2048]; /* which a chain of loads goes through */                             \
        s_words[threadIdx.x] = 0;                                                                                      \
        __syncthreads();                                                                                               \
        float a = start;                                                                                               \
        long long begin = clock64();                                                                                   \
        for (int i = 0; i < steps / 32; i++)                                                                           \
            _Pragma("unroll") for (int j = 0; j < 32; j++)                                                             \
                asm volatile("{.reg .b32 x, y, z, w; .reg .b64 u; .reg .pred p; mov.b32 x, %0; " text " mov.b32 %0, x;}"\
                             : "+f"(a));                                                                               \
        cycles[0] = clock64() - begin;                                                                                 \
        cycles[1] = static_cast<long long>(a);                                                                         \
    }
CHAIN(chain_special, "ex2.approx.ftz.f32 x, x;")
CHAIN(chain_to_int, "cvt.rzi.s32.f32 x, x;")
CHAIN(chain_mad, "mad.lo.s32 x, x, x, x;")
CHAIN(chain_add, "add.s32 x, x, 1; xor.b32 x, x, 7;")
CHAIN(chain_shared_16, "ld.volatile.shared.v4.b32 {x, y, z, w}, [x];")
CHAIN(chain_barrier, "bar.sync 0;")
CHAIN(chain_vote, "setp.ne.b32 p, x, 0; vote.sync.ballot.b32 x, p, 0xffffffff;")

template <typename Kernel> static void waiting(const char* name, Kernel kernel, int threads)
{
    static long long* cycles = static_cast<long long*>(device_memory(64));
    long long found = 0;
    kernel<<<1, threads>>>(4096, 0, cycles);
    cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost);
    char text[80];
    std::snprintf(text, sizeof text, "chain of %s, %d threads", name, threads);
    figure(text, found / 4096.0, "cycles");
}

static void chains()
{
    waiting("functions", chain_special, 32);
    waiting("conversions", chain_to_int, 32);
    waiting("integer mad", chain_mad, 32);
    waiting("integer add and logic", chain_add, 32);
    waiting("shared loads of 16 bytes", chain_shared_16, 32);
    waiting("votes", chain_vote, 32);
    for (int threads : {32, 128, 256, 512, 1024})
        waiting("barriers", chain_barrier, threads);
}
