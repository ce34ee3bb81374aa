// Divisions, reciprocals and square roots with IEEE 754 rounding: which operands need a call, and how long it takes.
#pragma once
#include "benchmark.cuh"

enum Operation { DIVISION, RECIPROCAL, ROOT };

template <Operation OPERATION> __device__ float result_of(float a, float b)
{
    float result = 0;
    if (OPERATION == DIVISION)
        asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    else if (OPERATION == RECIPROCAL)
        asm volatile("rcp.rn.f32 %0, %1;" : "=f"(result) : "f"(a));
    else
        asm volatile("sqrt.rn.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

// One block for each exponent of the numerator. cycles[numerator][denominator] is the time of the third run.
__global__ void divide_each(int* cycles, float* out)
{
    float a = __uint_as_float(blockIdx.x << 23 | 0x400000);
    for (int exponent = 0; exponent < 256; exponent++) {
        float b = __uint_as_float(exponent << 23 | 0x200000);
        long long spent = 0;
        for (int turn = 0; turn < 3; turn++) {
            long long begin = clock64();
            float quotient = result_of<DIVISION>(a, b);
            if (quotient == 12345)
                out[0] = quotient;
            spent = clock64() - begin;
        }
        if (threadIdx.x == 0)
            cycles[blockIdx.x * 256 + exponent] = static_cast<int>(spent);
    }
}

// For each exponent of the numerator, the first and the last exponent of the denominators that need no call.
static void exponents()
{
    constexpr int FASTEST_CALL = 100; // cycles; a division without a call takes 45
    static int cycles[256][256];
    int* found = static_cast<int*>(device_memory(sizeof cycles));
    divide_each<<<256, 32>>>(found, nowhere());
    check(cudaMemcpy(cycles, found, sizeof cycles, cudaMemcpyDeviceToHost), "divisions");
    cudaFree(found);
    for (int a = 0; a < 256; a++) {
        int first = 256, last = -1, fast = 0;
        for (int b = 0; b < 256; b++)
            if (cycles[a][b] < FASTEST_CALL) {
                first = std::min(first, b);
                last = b;
                fast++;
            }
        if (fast != std::max(0, last - first + 1)) {
            std::fprintf(stderr, "calibrate: denominators of exponent %d do not stand together\n", a);
            std::exit(1);
        }
        std::printf("division %3d %3d %3d\n", a, fast > 0 ? first : -1, last);
    }
}

constexpr int SLOW_TURNS = 1000;

template <Operation OPERATION> __global__ void repeat(float other, float divisor, float* out, long long* cycles)
{
    float a = threadIdx.x == 0 ? other : 1.5f, sum = 0;
    long long begin = clock64();
    for (int i = 0; i < SLOW_TURNS; i++) {
        float result = result_of<OPERATION>(a, divisor);
        if (result == 12345)
            sum += result;
    }
    cycles[0] = clock64() - begin;
    if (sum == 12345)
        out[0] = sum;
}

template <Operation OPERATION> static void operands(const char* name)
{
    static long long* cycles = static_cast<long long*>(device_memory(64));
    const struct {
        const char* name;
        float value;
    } kinds[] = {{"usual operands", 1.5f}, {"zero in a lane", 0.0f}, {"a subnormal", 1e-39f}, {"infinity", INFINITY}};
    for (const auto& kind : kinds) {
        long long spent = 0;
        repeat<OPERATION><<<1, 32>>>(kind.value, 2.5f, nowhere(), cycles);
        cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost);
        char text[80];
        std::snprintf(text, sizeof text, "%s, %s", name, kind.name);
        figure(text, static_cast<double>(spent) / SLOW_TURNS, "cycles");
    }
}

static void slow_paths()
{
    operands<DIVISION>("division");
    operands<RECIPROCAL>("reciprocal");
    operands<ROOT>("square root");
    exponents();
}
