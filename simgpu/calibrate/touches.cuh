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

// Each thread fetches `side` * `side` texels of an image.
__global__ void windows_of(cudaTextureObject_t image, float* out, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += tex2D<float>(image, x + s + 0.5f, y + r + 0.5f);
    if (sum == 1.5f)
        out[0] = sum;
}

static void windows()
{
    for (int width : {512, 4096}) {
        cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        cudaResourceDesc from = {};
        cudaTextureDesc how = {};
        cudaTextureObject_t image = 0;
        from.resType = cudaResourceTypeArray;
        check(cudaMallocArray(&from.res.array.array, &format, width, width), "an array");
        how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
        check(cudaCreateTextureObject(&image, &from, &how, nullptr), "a texture");
        for (int side : {1, 3, 5, 15, 33})
            for (dim3 block : {dim3(16, 16), dim3(32, 8), dim3(8, 32)}) {
                char name[96];
                const double warps = static_cast<double>(width) * width / 32, fetched = warps * side * side;
                double s = seconds([&] {
                    windows_of<<<dim3(width / block.x, width / block.y), block>>>(image, nowhere(), side);
                }, true);
                std::snprintf(name, sizeof name, "tex2D, %d wide, windows of %d, blocks of %u x %u", width, side, block.x,
                              block.y);
                figure(name, s * clock_hz * sm_count / fetched, "cycles/warp");
            }
        cudaDestroyTextureObject(image);
        cudaFreeArray(from.res.array.array);
    }
}

// Each thread stores `times` neighbours, `step` elements from the next thread's and `offset` elements on, within `mask` + 1
// elements.
__global__ void stores_of(float* out, int step, int times, int offset, unsigned mask)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * step + offset;
    for (int k = 0; k < times; k++)
        asm volatile("st.global.f32 [%0], %1;" : : "l"(out + ((i + k) & mask)), "f"(1.0f));
}

__global__ void adds_of(float* out, int step)
{
    atomicAdd(out + static_cast<size_t>(blockIdx.x * blockDim.x + threadIdx.x) * step, 1.0f);
}

static void scattered(float* memory)
{
    const int threads = 1 << 22;
    const struct {
        int step, times, offset;
    } ways[] = {{1, 1, 0}, {1, 1, 1}, {1, 1, 4}, {2, 1, 0}, {4, 1, 0}, {8, 1, 0}, {16, 1, 0}, {32, 1, 0}, {33, 1, 0}, {2, 2, 0},
                {4, 4, 0}, {8, 8, 0}, {16, 4, 0}, {32, 2, 0}, {32, 4, 0}, {32, 8, 0}};
    for (unsigned mask : {(1u << 22) - 1, (1u << 28) - 1}) // 16 MiB, which the L2 holds, and 1 GiB
        for (auto way : ways) {
            char name[96];
            double s = seconds([&] {
                stores_of<<<threads / 256, 256>>>(memory, way.step, way.times, way.offset, mask);
            });
            std::snprintf(name, sizeof name, "4 Mi threads store %d, %d elements apart, %d on, in %s", way.times, way.step,
                          way.offset, mask >> 22 ? "memory" : "the L2");
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

// Blocks of a cluster meet `meetings` times and once more; each warp loads `loads` words of the block `from` places on, or of the first.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(4, 1, 1) cluster_of(float* out, int meetings, int loads, int from, bool is_first)
{
    __shared__ float words[512];
    words[threadIdx.x] = words[threadIdx.x + 256] = threadIdx.x;
    for (int i = 0; i < meetings; i++) {
        asm volatile("barrier.cluster.arrive.aligned;");
        asm volatile("barrier.cluster.wait.aligned;");
    }
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(words)), there;
    unsigned rank = is_first ? 0 : (blockIdx.x + from) % 4;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    float sum = 0, word;
#pragma unroll 8
    for (int i = 0; i < loads; i++) {
        asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(word) : "r"(there + i % 512 * 4));
        sum += word;
    }
    if (sum == 1.5f)
        out[0] = sum;
    asm volatile("barrier.cluster.arrive.aligned;"); // what others read must stay
    asm volatile("barrier.cluster.wait.aligned;");
}
#else
__global__ void cluster_of(float*, int, int, int, bool)
{
}
#endif

static void clusters()
{
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major < 9)
        return;
    char name[96];
    for (int meetings : {0, 1, 2, 4}) {
        double s = seconds([&] { cluster_of<<<65536, 256>>>(nowhere(), meetings, 0, 0, false); });
        std::snprintf(name, sizeof name, "65536 blocks of clusters of 4 that meet %d times", meetings);
        figure(name, s * 1e6, "us");
    }
    for (int from : {0, 1, 4}) {
        double s = seconds([&] { cluster_of<<<4224, 256>>>(nowhere(), 1, 1024, from, from == 4); });
        std::snprintf(name, sizeof name, "loads of one word from the %s block of a cluster",
                      from == 0 ? "own" : from == 1 ? "next" : "first");
        figure(name, s * clock_hz * sm_count / (4224 * 8 * 1024), "cycles/warp");
    }
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

static void arrays_copied(float* memory)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int width : {512, 2048, 4096, 8192}) {
        char name[96];
        cudaArray_t array;
        cudaMallocArray(&array, &format, width, width);
        double s = seconds([&] {
            cudaMemcpy2DToArrayAsync(array, 0, 0, memory, width * sizeof(float), width * sizeof(float), width,
                                     cudaMemcpyDeviceToDevice);
        });
        std::snprintf(name, sizeof name, "copy of %d rows of %d floats to an array", width, width);
        figure(name, s * 1e6, "us");
        cudaFreeArray(array);
    }
}

static void touches()
{
    const int blocks = static_cast<int>(sm_count) * BLOCKS_PER_SM, turns = TURNS * UNROLL / 16;
    float* memory = static_cast<float*>(device_memory(size_t(1) << 30));
    fetches(memory);
    windows();
    scattered(memory);
    clusters();
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
    arrays_copied(memory);
    cudaFree(memory);
}
