// Helpers that all benchmarks of calibrate.cu share.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

static double clock_hz, sm_count;
static size_t l2_bytes;
static cudaEvent_t start, stop;

static void check(cudaError_t error, const char* what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "calibrate: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

__global__ void hold(long long cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;)
        ;
}

__global__ void empty()
{
}

static void* device_memory(size_t bytes)
{
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "memory");
    check(cudaMemset(memory, 0, bytes), "memory");
    return memory;
}

// Median seconds of the work that `work` queues; `cold` writes twice the size of the L2 before each run.
template <typename Work> static double seconds(Work work, bool cold = false, int samples = 11)
{
    static void* flush = device_memory(2 * l2_bytes);
    std::vector<float> times;
    for (int i = -2; i < samples; i++) {
        float ms = 0;
        if (cold)
            cudaMemsetAsync(flush, i & 0xFF, 2 * l2_bytes);
        cudaDeviceSynchronize();
        hold<<<1, 1>>>(100000);
        cudaEventRecord(start);
        work();
        cudaEventRecord(stop);
        check(cudaDeviceSynchronize(), "a benchmark");
        cudaEventElapsedTime(&ms, start, stop);
        if (i >= 0)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] / 1000;
}

static void figure(const char* name, double value, const char* unit)
{
    std::printf("%-44s %14.12g %s\n", name, value, unit);
    std::fflush(stdout);
}

constexpr int TURNS = 512, UNROLL = 16, THREADS = 512, BLOCKS_PER_SM = 16;

static double warp_cycles(double s, int blocks) // cycles of a multiprocessor per warp that ran on it
{
    return s * clock_hz * sm_count / (static_cast<double>(blocks) * THREADS / 32);
}

static float* nowhere() // memory that no kernel really writes to
{
    static float* memory = static_cast<float*>(device_memory(4096));
    return memory;
}

__constant__ float c_table[16384];
