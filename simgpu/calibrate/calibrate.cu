// Measures the values of a profile (simgpu/profiles) on a GPU, with one micro-benchmark for each coefficient of the
// cost model (simgpu/cost/cost.h). Prints lines "name value unit", with the names of the profile where it has the value.
// Usage: nvcc -O3 -arch=native simgpu/calibrate/calibrate.cu -o calibrate && ./calibrate [PART]
//
// Rates are those of all multiprocessors, full of warps. The load or operation in a loop is written in PTX, so that the
// compiler neither drops nor merges it. Times are medians between events; a kernel holds the stream until all work is
// queued.
#include "calls.cuh"
#include "rounds.cuh"
#include "slow_paths.cuh"
#include "touches.cuh"
#include "waiting.cuh"

// ---- rates of a multiprocessor -----------------------------------------------------------------------------------

// Eight chains of one operation: %0 is a chain, %1 its neighbour, without which the compiler would fold the chain.
#define OPERATION(name, text)                                                                                          \
    __global__ void name(float* out)                                                                                   \
    {                                                                                                                  \
        float a[8];                                                                                                    \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = threadIdx.x + i;                                                                                    \
        for (int turn = 0; turn < TURNS; turn++)                                                                       \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++)                                                         \
                asm volatile("{.reg .b32 x, y; " text "}" : "+f"(a[i % 8]) : "f"(a[(i + 1) % 8]));                     \
        for (int i = 1; i < 8; i++)                                                                                    \
            a[0] += a[i];                                                                                              \
        if (a[0] == 12345)                                                                                             \
            out[0] = a[0];                                                                                             \
    }
#define INTEGER(text) "mov.b32 x, %0; mov.b32 y, %1; " text " mov.b32 %0, x;"
OPERATION(op_fma, "fma.rn.f32 %0, %0, %0, %0;")
OPERATION(op_mul, "mul.rn.f32 %0, %0, %0;")
OPERATION(op_max, "max.f32 %0, %0, 0f40000000;")
OPERATION(op_add_int, INTEGER("add.s32 x, x, y;"))
OPERATION(op_logic, INTEGER("lop3.b32 x, x, y, 0x55, 0xe8;"))
OPERATION(op_mad_int, INTEGER("mad.lo.s32 x, x, x, x;"))
OPERATION(op_shift, INTEGER("shf.l.wrap.b32 x, x, x, 5;"))
OPERATION(op_special, "ex2.approx.ftz.f32 %0, %0;")
OPERATION(op_to_int, "cvt.rzi.s32.f32 x, %0; mov.b32 %0, x;")
OPERATION(op_fma_and_logic, "fma.rn.f32 %0, %0, %0, %0; " INTEGER("lop3.b32 x, x, y, 0x55, 0xe8;"))
OPERATION(op_fma_and_mad, "fma.rn.f32 %0, %0, %0, %0; " INTEGER("mad.lo.s32 x, x, x, x;"))

template <typename Kernel> static void rate(const char* name, Kernel kernel, int instructions)
{
    int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM;
    double s = seconds([&] { kernel<<<blocks, THREADS>>>(nowhere()); });
    figure(name, TURNS * UNROLL * instructions / warp_cycles(s, blocks), "warp-instructions/cycle/SM");
}

static void operations()
{
    rate("fma", op_fma, 1);
    rate("mul", op_mul, 1);
    rate("max", op_max, 1);
    rate("integer add", op_add_int, 1);
    rate("logic", op_logic, 1);
    rate("integer mad", op_mad_int, 1);
    rate("shift", op_shift, 1);
    rate("special", op_special, 1);
    rate("float to int", op_to_int, 1);
    rate("fma and logic", op_fma_and_logic, 2);
    rate("fma and integer mad", op_fma_and_mad, 2);
}

// ---- loads and stores --------------------------------------------------------------------------------------------

struct Pattern { // the addresses of a warp
    const char* name;
    int step, row, row_step, offset; // bytes between lanes; lanes per row; bytes between rows; of the first lane
};

enum Access { GLOBAL, GLOBAL_2, GLOBAL_4, SHARED, SHARED_2, SHARED_4, STORE_SHARED, STORE_GLOBAL };

// The address moves by `i` elements, so that the compiler cannot merge two accesses of an iteration.
template <Access ACCESS> __device__ float access(uint64_t global, uint32_t shared, int i)
{
    float a = 0, b = 0, c = 0, d = 0;
    global += i * 2048;
    shared += i % 2 * 512;
    if constexpr (ACCESS == GLOBAL)
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(a) : "l"(global));
    if constexpr (ACCESS == GLOBAL_2)
        asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(global));
    if constexpr (ACCESS == GLOBAL_4)
        asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(global));
    if constexpr (ACCESS == SHARED)
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(shared));
    if constexpr (ACCESS == SHARED_2)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(shared));
    if constexpr (ACCESS == SHARED_4)
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(shared));
    if constexpr (ACCESS == STORE_SHARED)
        asm volatile("st.volatile.shared.f32 [%0], %1;" : : "r"(shared), "f"(a));
    if constexpr (ACCESS == STORE_GLOBAL)
        asm volatile("st.global.f32 [%0], %1;" : : "l"(global), "f"(a));
    return a + b + c + d;
}

template <Access ACCESS> __global__ void accesses(char* base, Pattern p, int zero, float* out)
{
    __shared__ float tile[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        tile[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, offset = p.offset + lane % p.row * p.step + lane / p.row * p.row_step;
    uint64_t global = __cvta_generic_to_global(base) + offset;
    uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(tile)) + offset % 16384;
    float sum = 0;
    for (int turn = 0; turn < TURNS; turn++, global += zero, shared += zero) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            sum += access<ACCESS>(global, shared, i);
    }
    if (sum == 12345)
        out[0] = sum;
}

template <Access ACCESS> static void pattern(const char* what, Pattern p)
{
    static char* base = static_cast<char*>(device_memory(1 << 20));
    int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM;
    double s = seconds([&] { accesses<ACCESS><<<blocks, THREADS>>>(base, p, 0, nowhere()); });
    char name[80];
    std::snprintf(name, sizeof name, "%s, %s", what, p.name);
    figure(name, warp_cycles(s, blocks) / (TURNS * UNROLL), "cycles/request");
}

static void loads_and_stores()
{
    const Pattern floats[] = {{"one address", 0, 32, 0, 0},      {"neighbours", 4, 32, 0, 0},
                              {"neighbours, 4 bytes on", 4, 32, 0, 4}, {"neighbours, 64 bytes on", 4, 32, 0, 64},
                              {"2 rows of 16", 4, 16, 1024, 0},  {"2 rows of 16, 4 bytes on", 4, 16, 1024, 4},
                              {"4 rows of 8", 4, 8, 1024, 0},    {"4 rows of 8, 4 bytes on", 4, 8, 1024, 4},
                              {"8 rows of 4", 4, 4, 1024, 0},    {"step of 8", 8, 32, 0, 0},
                              {"step of 16", 16, 32, 0, 0},      {"step of 32", 32, 32, 0, 0},
                              {"step of 128", 128, 32, 0, 0},    {"step of 132", 132, 32, 0, 0},
                              {"step of 1024", 1024, 32, 0, 0}};
    for (const Pattern& p : floats)
        pattern<GLOBAL>("global load", p);
    pattern<GLOBAL_2>("global load of 8 bytes", {"neighbours", 8, 32, 0, 0});
    pattern<GLOBAL_2>("global load of 8 bytes", {"neighbours, 8 bytes on", 8, 32, 0, 8});
    pattern<GLOBAL_4>("global load of 16 bytes", {"one address", 0, 32, 0, 0});
    pattern<GLOBAL_4>("global load of 16 bytes", {"neighbours", 16, 32, 0, 0});
    pattern<GLOBAL_4>("global load of 16 bytes", {"neighbours, 16 bytes on", 16, 32, 0, 16});
    pattern<STORE_GLOBAL>("global store", {"neighbours", 4, 32, 0, 0});
    pattern<STORE_GLOBAL>("global store", {"neighbours, 4 bytes on", 4, 32, 0, 4});
    pattern<STORE_GLOBAL>("global store", {"step of 32", 32, 32, 0, 0});
    for (const Pattern& p : floats)
        pattern<SHARED>("shared load", p);
    // Wide loads whose lanes share addresses: all, halves, quarters, neighbours of two and four, every second lane.
    for (int bytes : {8, 16}) {
        const Pattern wide[] = {{"one address", 0, 32, 0, 0},      {"neighbours", bytes, 32, 0, 0},
                                {"16 addresses, twice", bytes, 16, 0, 0}, {"8 addresses, 4 times", bytes, 8, 0, 0},
                                {"4 addresses, 8 times", bytes, 4, 0, 0}, {"2 addresses, in turn", bytes, 2, 0, 0},
                                {"2 addresses, by halves", 0, 16, bytes, 0}, {"4 addresses, by quarters", 0, 8, bytes, 0},
                                {"8 addresses, by fours", 0, 4, bytes, 0}, {"16 addresses, by twos", 0, 2, bytes, 0},
                                {"2 addresses far apart, by halves", 0, 16, 1024, 0}};
        for (const Pattern& p : wide)
            bytes == 8 ? pattern<SHARED_2>("shared load of 8 bytes", p) : pattern<SHARED_4>("shared load of 16 bytes", p);
    }
    pattern<STORE_SHARED>("shared store", {"neighbours", 4, 32, 0, 0});
}

// ---- constant memory ---------------------------------------------------------------------------------------------

constexpr int TAPS = 4095; // the longest filter

// Reads a filter as most kernels do. The compiler uses the uniform datapath (ULDC) for one loop, but not for two nested
// loops. The tile comes from memory and results are stored, so that blocks are as far apart as those of a convolution.
// Whether two blocks of 1024 threads drift apart depends on the order in which ptxas puts a few instructions of this
// loop: over 8188 bytes a request takes 4.8 cycles, but only 1.1 without the launch bounds.
template <int THREADS_HERE>
__global__ void __launch_bounds__(THREADS_HERE) constant_row(const float* input, int count, float* output)
{
    __shared__ float tile[THREADS_HERE + TAPS + 1];
    int first = blockIdx.x * THREADS_HERE;
    for (int i = threadIdx.x; i < THREADS_HERE + count - 1; i += THREADS_HERE)
        tile[i] = input[first + i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += tile[threadIdx.x + i] * c_table[i];
    output[first + threadIdx.x] = sum;
}

__global__ void constant_rows(int rows, int count, float* out)
{
    float sum = threadIdx.x;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < count; i++)
            sum = sum * c_table[row * count + i] + 1;
    if (sum == 12345)
        out[0] = sum;
}

// Lane i reads element step * i, and goes on by one.
__global__ void constant_lanes(int step, int mask, float* out)
{
    int at = threadIdx.x % 32 * step;
    float sum = 0;
#pragma unroll 16
    for (int i = 0; i < TURNS; i++)
        sum += c_table[(at + i) & mask];
    if (sum == 12345)
        out[0] = sum;
}

template <typename Work> static void constant(const char* what, int taps, int threads, int together, int waves, Work work)
{
    int blocks = static_cast<int>(sm_count) * together * waves;
    double requests = static_cast<double>(blocks) * threads / 32 * taps, s = seconds([&] { work(blocks); });
    char name[96];
    std::snprintf(name, sizeof name, "constant, %s, %d bytes, %d blocks of %d", what, 4 * taps, together, threads);
    figure(name, s * clock_hz * sm_count / requests, "cycles/request");
}

// One wave with this number of blocks on each multiprocessor.
template <int THREADS_HERE> static void constant_loop(const float* input, float* output)
{
    for (int together = 1; together <= 2048 / THREADS_HERE; together *= 2)
        for (int taps : {61, 127, 255, 383, 511, 767, 1023, 1279, 1535, 1791, 2047, 3071, TAPS})
            constant("one loop", taps, THREADS_HERE, together, 1, [&](int blocks) {
                constant_row<THREADS_HERE><<<blocks, THREADS_HERE>>>(input, taps, output);
            });
}

static void constants()
{
    size_t outputs = static_cast<size_t>(sm_count) * 2048;
    float* input = static_cast<float*>(device_memory((outputs + 1024 + TAPS) * sizeof(float)));
    float* output = static_cast<float*>(device_memory(outputs * sizeof(float)));
    constant_loop<1024>(input, output);
    constant_loop<512>(input, output);
    constant_loop<256>(input, output);
    constant_loop<128>(input, output);
    for (int threads : {256, 512, 1024})
        for (int side : {3, 5, 7, 9, 11, 15, 21, 33, 45})
            constant("two loops", side * side, threads, 2048 / threads, 65536 / (side * side),
                     [&](int blocks) { constant_rows<<<blocks, threads>>>(side, side, nowhere()); });
    const int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM;
    for (int bytes : {256, 1024, 4096, 65536})
        for (int step : {0, 1, 2, 8}) {
            char name[96];
            double s = seconds([&] { constant_lanes<<<blocks, THREADS>>>(step, bytes / 4 - 1, nowhere()); });
            std::snprintf(name, sizeof name, "constant, lanes %d elements apart, %d bytes", step, bytes);
            figure(name, warp_cycles(s, blocks) / TURNS, "cycles/warp");
        }
    cudaFree(input);
    cudaFree(output);
}

// ---- matrices ----------------------------------------------------------------------------------------------------

// Compute capabilities before 8.0 lack these forms; matrices() leaves them out.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MATRIX(name, text)                                                                                             \
    __global__ void name(float*)                                                                                       \
    {                                                                                                                  \
    }
#else
#define MATRIX(name, text)                                                                                             \
    __global__ void name(float* out)                                                                                   \
    {                                                                                                                  \
        float c[4][4] = {};                                                                                            \
        uint32_t a = threadIdx.x, b = threadIdx.x + 1;                                                                 \
        for (int turn = 0; turn < TURNS; turn++)                                                                       \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++)                                                         \
                asm volatile(text : "+f"(c[i % 4][0]), "+f"(c[i % 4][1]), "+f"(c[i % 4][2]), "+f"(c[i % 4][3])         \
                             : "r"(a), "r"(b));                                                                        \
        if (c[0][0] + c[1][0] + c[2][0] + c[3][0] == 12345)                                                            \
            out[0] = c[0][0];                                                                                          \
    }
#endif
MATRIX(mma_f16,
       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};")
MATRIX(mma_bf16,
       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};")
MATRIX(mma_f16_k8,
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};")
MATRIX(mma_tf32,
       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};")
MATRIX(mma_tf32_k4,
       "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};")

template <typename Kernel> static void matrix(const char* name, Kernel kernel, int products)
{
    int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM;
    double s = seconds([&] { kernel<<<blocks, THREADS>>>(nowhere()); }, false, 5);
    figure(name, static_cast<double>(TURNS) * UNROLL * products / warp_cycles(s, blocks), "multiply-adds/cycle/SM");
}

static void matrices()
{
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major < 8)
        return;
    matrix("mma m16n8k16 f16, sums float", mma_f16, 16 * 8 * 16);
    matrix("mma m16n8k16 bf16", mma_bf16, 16 * 8 * 16);
    matrix("mma m16n8k8 f16, sums float", mma_f16_k8, 16 * 8 * 8);
    matrix("mma m16n8k8 tf32", mma_tf32, 16 * 8 * 8);
    matrix("mma m16n8k4 tf32", mma_tf32_k4, 16 * 8 * 4);
}

// ---- memory ------------------------------------------------------------------------------------------------------

__global__ void read_all(const float4* from, size_t count, float* out)
{
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345)
        out[0] = sum;
}

// The same `rounds` times, each block what another one read before, so that no L1 has it.
__global__ void read_in_rounds(const float4* from, size_t count, int rounds, float* out)
{
    float sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = (blockIdx.x + 37 * round) % gridDim.x * size_t(blockDim.x) + threadIdx.x; i < count;
             i += size_t(gridDim.x) * blockDim.x) {
            float4 v;
            asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(from + i));
            sum += v.x + v.y + v.z + v.w;
        }
    if (sum == 12345)
        out[0] = sum;
}

// One element per thread, as in simple kernels.
__global__ void copy_each(const float* from, float* to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

__global__ void write_each(float* to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = i;
}

__global__ void read_each(const float* from, float* out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && from[i] == 12345)
        out[0] = from[i];
}

static void memory()
{
    size_t large = size_t(2) << 30;
    float* a = static_cast<float*>(device_memory(large));
    float* b = static_cast<float*>(device_memory(large));
    int blocks = static_cast<int>(sm_count) * 16;
    double s = seconds([&] { read_all<<<blocks, 128>>>(reinterpret_cast<float4*>(a), large / 16, nowhere()); });
    figure("dram_read_bytes_per_s", large / s, "bytes/s");
    s = seconds([&] { cudaMemcpyAsync(b, a, large, cudaMemcpyDeviceToDevice); });
    figure("dram_copy_bytes_per_s", 2 * large / s, "bytes/s");
    size_t within = l2_bytes / 3;
    s = seconds([&] { read_in_rounds<<<blocks, 128>>>(reinterpret_cast<float4*>(a), within / 16, 50, nowhere()); });
    figure("l2_bytes_per_s", 50 * within / s, "bytes/s");
    char name[80];
    for (int log = 14; log <= 27; log++) {
        int count = 1 << log, grid = (count + 255) / 256;
        const struct {
            const char* what;
            double s;
        } rows[] = {
            {"copy", seconds([&] { copy_each<<<grid, 256>>>(a, b, count); }, true)},
            {"read", seconds([&] { read_each<<<grid, 256>>>(a, nowhere(), count); }, true)},
            {"write", seconds([&] { write_each<<<grid, 256>>>(b, count); }, true)},
            {"warm copy", seconds([&] { copy_each<<<grid, 256>>>(a, b, count); })},
        };
        for (const auto& row : rows) {
            std::snprintf(name, sizeof name, "%s of %d floats, one a thread", row.what, count);
            figure(name, row.s * 1e6, "us");
        }
    }
    cudaFree(a);
    cudaFree(b);
}

// What the profile takes from the driver, under the profile's names.
static void limits(const cudaDeviceProp& p)
{
    figure("compute_major", p.major, "");
    figure("compute_minor", p.minor, "");
    figure("max_threads_per_multiprocessor", p.maxThreadsPerMultiProcessor, "threads");
    figure("max_blocks_per_multiprocessor", p.maxBlocksPerMultiProcessor, "blocks");
    figure("registers_per_multiprocessor", p.regsPerMultiprocessor, "registers");
    figure("shared_bytes_per_block", p.sharedMemPerBlock, "bytes");
    figure("shared_bytes_per_block_optin", p.sharedMemPerBlockOptin, "bytes");
    figure("shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor, "bytes");
    figure("shared_reserved_bytes_per_block", p.reservedSharedMemPerBlock, "bytes");
    figure("l2_bytes", p.l2CacheSize, "bytes");
    figure("memory_bytes", p.totalGlobalMem, "bytes");
}

int main(int argc, char** argv)
{
    cudaDeviceProp properties;
    int khz = 0;
    check(cudaGetDeviceProperties(&properties, 0), "the device");
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    clock_hz = 1000.0 * khz;
    sm_count = properties.multiProcessorCount;
    l2_bytes = properties.l2CacheSize;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    std::printf("# %s\n", properties.name);
    figure("clock_hz", clock_hz, "Hz");
    figure("multiprocessors", sm_count, "");
    limits(properties);
    const struct {
        const char* name;
        void (*run)();
    } parts[] = {{"operations", operations}, {"accesses", loads_and_stores}, {"constants", constants},
                 {"latencies", latencies}, {"memory", memory}, {"overheads", overheads},
                 {"cold", cold}, {"planes", planes}, {"chains", chains}, {"matrices", matrices}, {"queue", queue},
                 {"slow_paths", slow_paths}, {"rounds", rounds}, {"touches", touches},
                 {"streams", streams}, {"code", code}};
    for (const auto& part : parts)
        if (argc < 2 || std::strcmp(argv[1], part.name) == 0) {
            std::fprintf(stderr, "calibrate: %s\n", part.name);
            part.run();
        }
}
