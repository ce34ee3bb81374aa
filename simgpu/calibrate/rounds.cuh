// How long the warps of a block stay together: threads that load and then compute, in rounds, in blocks of several sizes.
#pragma once
#include "benchmark.cuh"

// Each thread has four sums, so that eight warps a scheduler keep the units busy. Its element of `mask` + 1 is another one in
// each round.
template <int WORK> __global__ void __launch_bounds__(1024, 2) rounds_of(const float* in, float* out, int rounds, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float s[4] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        float v;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(in + ((i + round * threads) & mask)));
        s[0] += v;
#pragma unroll 64
        for (int k = 0; k < WORK; k++)
            asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(s[k % 4]) : "f"(v));
    }
    out[i & mask] = s[0] + s[1] + s[2] + s[3];
}

template <int WORK> static void rounds_with(const float* in, float* out)
{
    const int waves = 16, threads = static_cast<int>(sm_count) * 2048 * waves;
    for (bool cold : {false, true})
        for (int rounds : {1, 2, 4, 16})
            for (int block : {32, 64, 128, 256, 512, 1024}) {
                unsigned mask = cold ? (1u << 28) - 1 : (1u << 21) - 1; // 1 GiB, and 8 MiB that stay in the L2
                double s = seconds([&] { rounds_of<WORK><<<threads / block, block>>>(in, out, rounds, mask); }, cold);
                char name[96];
                std::snprintf(name, sizeof name, "%d rounds of a load from %s and %d fma, blocks of %d", rounds,
                              cold ? "memory" : "the L2", WORK, block);
                figure(name, s * 1e6, "us");
            }
}

static void rounds()
{
    float* in = static_cast<float*>(device_memory(size_t(1) << 30));
    float* out = static_cast<float*>(device_memory(size_t(1) << 30));
    rounds_with<0>(in, out);
    rounds_with<32>(in, out);
    rounds_with<128>(in, out);
    rounds_with<512>(in, out);
    cudaFree(in);
    cudaFree(out);
}
