// One access to shared memory in each launch of one warp: without neighbours nothing else adds to its wavefronts.
// Patterns of addresses that are regular or drawn, loads and stores of 1 to 16 bytes, with some lanes off. The plan has it
// as one more solution, so that the simulated GPU and the real one count the same.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int LANES = 32, SHARED_BYTES = 16384;
constexpr uint32_t ALL = 0xFFFFFFFF;

struct Lanes {
    uint32_t mask;
    uint32_t offset[LANES]; // bytes
};

template <int BYTES, bool STORES> __global__ void access(Lanes lanes, float* out)
{
    extern __shared__ float4 s_memory[];
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(s_memory)) + lanes.offset[threadIdx.x];
    float a = 0, b = 0, c = 0, d = 0;
    uint32_t small = 0;
    if (!(lanes.mask >> threadIdx.x & 1))
        return;
    if constexpr (BYTES == 1 && STORES)
        asm volatile("st.volatile.shared.u8 [%0], %1;" : : "r"(at), "r"(small));
    if constexpr (BYTES == 1 && !STORES)
        asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(small) : "r"(at));
    if constexpr (BYTES == 4 && STORES)
        asm volatile("st.volatile.shared.f32 [%0], %1;" : : "r"(at), "f"(a));
    if constexpr (BYTES == 4 && !STORES)
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
    if constexpr (BYTES == 8 && STORES)
        asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" : : "r"(at), "f"(a), "f"(b));
    if constexpr (BYTES == 8 && !STORES)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(at));
    if constexpr (BYTES == 16 && STORES)
        asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" : : "r"(at), "f"(a), "f"(b), "f"(c), "f"(d));
    if constexpr (BYTES == 16 && !STORES)
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(at));
    if (a + b + c + d + static_cast<float>(small) == 12345)
        out[0] = 1;
}

template <int BYTES, bool STORES> static void launch(uint32_t mask, const uint32_t* units)
{
    Lanes lanes = {mask, {}};
    for (int i = 0; i < LANES; i++)
        lanes.offset[i] = units[i] * BYTES;
    access<BYTES, STORES><<<1, LANES, SHARED_BYTES>>>(lanes, nullptr);
}

static uint32_t random_below(uint32_t limit)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223; // Numerical Recipes, "quick and dirty" generator
    return (state >> 8) % limit;
}

// Lane i is at (i / row) * row_step + (i % row) * step.
template <int BYTES, bool STORES> static void rows(uint32_t row, uint32_t row_step, uint32_t step)
{
    uint32_t units[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        units[i] = i / row * row_step + i % row * step;
    launch<BYTES, STORES>(ALL, units);
}

// Some of a few addresses; lanes that differ only in the bits of `equal` at the same one.
template <int BYTES, bool STORES> static void drawn(uint32_t mask, uint32_t addresses, uint32_t spread, uint32_t equal)
{
    uint32_t pool[64], units[LANES];
    for (uint32_t i = 0; i < addresses; i++)
        pool[i] = random_below(spread);
    for (uint32_t i = 0; i < LANES; i++)
        units[i] = (i & equal) != 0 ? units[i & ~equal] : pool[random_below(addresses)];
    launch<BYTES, STORES>(mask, units);
}

template <int BYTES, bool STORES> static void accesses()
{
    constexpr uint32_t UNITS = 1024 / BYTES; // in eight rows of all banks
    rows<BYTES, STORES>(LANES, 0, 0);
    rows<BYTES, STORES>(LANES, 0, 1);
    rows<BYTES, STORES>(LANES, 0, 2);
    for (uint32_t row : {1u, 2u, 4u, 8u, 16u})
        for (uint32_t row_step : {1u, 4u, 32u, 33u})
            for (uint32_t step : {0u, 1u})
                rows<BYTES, STORES>(row, row_step, step);
    for (uint32_t equal : {0u, 1u, 2u, 3u, 4u, 8u, 16u, 18u})
        for (uint32_t addresses : {2u, 5u, 40u})
            drawn<BYTES, STORES>(ALL, addresses, UNITS, equal);
    for (uint32_t mask : {0x0000FFFFu, 0x55555555u, 0x33333333u, 0x000000FFu, 0x00FF00FFu, 0x00000001u, 0x7FFFFFFFu,
                          0x0F0F1234u})
        for (uint32_t equal : {0u, 1u})
            drawn<BYTES, STORES>(mask, 40, UNITS, equal);
}

extern "C" void solve()
{
    accesses<4, false>();
    accesses<8, false>();
    accesses<16, false>();
    accesses<4, true>();
    accesses<8, true>();
    accesses<16, true>();
    accesses<1, false>();
    accesses<1, true>();
}
