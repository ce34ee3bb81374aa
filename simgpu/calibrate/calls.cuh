// The overhead of launches and copies, alone and one after the other.
#pragma once
#include "benchmark.cuh"

// ---- single calls ------------------------------------------------------------------------------------------------

__global__ void one_wave(int turns, float* out)
{
    float a = threadIdx.x;
    for (int i = 0; i < turns; i++)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
    if (a == 12345)
        out[0] = a;
}

static void overheads()
{
    char name[80];
    for (int launches : {0, 1, 2, 4, 16}) {
        double s = seconds([&] {
            for (int i = 0; i < launches; i++)
                empty<<<1, 32>>>();
        });
        std::snprintf(name, sizeof name, "%d empty launches between two events", launches);
        figure(name, s * 1e6, "us");
    }
    for (int threads : {32, 256, 1024})
        for (int blocks : {132, 1056, 10560, 1000000}) {
            double s = seconds([&] { empty<<<blocks, threads>>>(); });
            std::snprintf(name, sizeof name, "%d empty blocks of %d", blocks, threads);
            figure(name, s * 1e6, "us");
        }
    for (int blocks : {66, 132, 264, 528, 1056, 1057, 2112, 2113}) {
        double s = seconds([&] { one_wave<<<blocks, 256>>>(4096, nowhere()); });
        std::snprintf(name, sizeof name, "4096 dependent fma, %d blocks of 256", blocks);
        figure(name, s * 1e6, "us");
    }
    char* a = static_cast<char*>(device_memory(1 << 26));
    for (int bytes : {4, 1024, 65536, 1 << 20, 1 << 25}) {
        double s = seconds([&] { cudaMemcpyAsync(a, a + (1 << 25), bytes, cudaMemcpyDeviceToDevice); }, true);
        std::snprintf(name, sizeof name, "copy of %d bytes on the device", bytes);
        figure(name, s * 1e6, "us");
        s = seconds([&] { cudaMemsetAsync(a, 0, bytes); }, true);
        std::snprintf(name, sizeof name, "filling %d bytes", bytes);
        figure(name, s * 1e6, "us");
    }
    for (int bytes : {4, 900, 8188, 65536}) {
        double s = seconds([&] {
            cudaMemcpyToSymbolAsync(c_table, a, bytes, 0, cudaMemcpyDeviceToDevice);
            empty<<<1, 32>>>();
        }, true);
        std::snprintf(name, sizeof name, "copy of %d bytes to a symbol, then a launch", bytes);
        figure(name, s * 1e6, "us");
    }
    cudaFree(a);
}

// ---- one after the other -----------------------------------------------------------------------------------------

// A call with several launches and copies: the time of each beyond the work of the kernels.
static void queue()
{
    char name[96];
    static float small[1024];
    float* a = static_cast<float*>(device_memory(1 << 20));
    cudaStream_t other;
    cudaStreamCreate(&other);
    auto work = [&] { one_wave<<<132, 256>>>(4096, nowhere()); };
    auto to_symbol = [&] { cudaMemcpyToSymbolAsync(c_table, a, 256, 0, cudaMemcpyDeviceToDevice); };
    for (int kernels : {0, 1, 2, 3, 4}) {
        double s = seconds([&] { for (int i = 0; i < kernels; i++) work(); });
        std::snprintf(name, sizeof name, "%d kernels of 8.5 us", kernels);
        figure(name, s * 1e6, "us");
    }
    for (int copies : {1, 2, 3, 4}) {
        double s = seconds([&] { for (int i = 0; i < copies; i++) to_symbol(); work(); });
        std::snprintf(name, sizeof name, "%d copies to symbols, a kernel of 8.5 us", copies);
        figure(name, s * 1e6, "us");
        s = seconds([&] { for (int i = 0; i < copies; i++) to_symbol(); });
        std::snprintf(name, sizeof name, "%d copies to symbols", copies);
        figure(name, s * 1e6, "us");
        s = seconds([&] { for (int i = 0; i < copies; i++) to_symbol(); work(); }, true);
        std::snprintf(name, sizeof name, "%d copies to symbols, a kernel of 8.5 us, cold", copies);
        figure(name, s * 1e6, "us");
    }
    auto row = [&](const char* what, double s) { figure(what, s * 1e6, "us"); };
    row("a copy within memory, a kernel of 8.5 us",
        seconds([&] { cudaMemcpyAsync(a, a + 1024, 1024, cudaMemcpyDeviceToDevice); work(); }));
    row("2 copies within memory, a kernel of 8.5 us", seconds([&] {
        cudaMemcpyAsync(a, a + 1024, 1024, cudaMemcpyDeviceToDevice);
        cudaMemcpyAsync(a + 4096, a + 1024, 1024, cudaMemcpyDeviceToDevice);
        work();
    }));
    row("a copy in two dimensions, a kernel of 8.5 us",
        seconds([&] { cudaMemcpy2DAsync(a, 128, a + 4096, 68, 68, 17, cudaMemcpyDeviceToDevice); work(); }));
    row("a fill, a kernel of 8.5 us", seconds([&] { cudaMemsetAsync(a, 0, 1024); work(); }));
    row("a large fill of 1 MiB, a kernel of 8.5 us", seconds([&] { cudaMemsetAsync(a, 0, 1 << 20); work(); }));
    row("a kernel, a copy to a symbol, a kernel", seconds([&] { work(); to_symbol(); work(); }));
    row("a copy to the host, a kernel of 8.5 us", seconds([&] {
        cudaMemcpy(small, a, 1024, cudaMemcpyDeviceToHost); work(); }));
    row("a copy to the host, one to a symbol, a kernel of 8.5 us", seconds([&] {
        cudaMemcpy(small, a, 1024, cudaMemcpyDeviceToHost);
        cudaMemcpyToSymbol(c_table, small, 1024);
        work();
    }));
    row("a copy from the host to a symbol, a kernel of 8.5 us", seconds([&] {
        cudaMemcpyToSymbol(c_table, small, 1024); work(); }));
    row("a copy from the host, a kernel of 8.5 us", seconds([&] {
        cudaMemcpy(a, small, 1024, cudaMemcpyHostToDevice); work(); }));
    row("a kernel of 8.5 us, a copy to the host", seconds([&] {
        work(); cudaMemcpy(small, a, 1024, cudaMemcpyDeviceToHost); }));
    row("a copy to a symbol, waiting, a kernel of 8.5 us", seconds([&] { to_symbol(); cudaStreamSynchronize(0); work(); }));
    row("a kernel, waiting, a kernel of 8.5 us", seconds([&] { work(); cudaDeviceSynchronize(); work(); }));
    row("a kernel, waiting, a kernel, waiting, a kernel of 8.5 us", seconds([&] {
        work(); cudaDeviceSynchronize(); work(); cudaDeviceSynchronize(); work(); }));
    for (size_t bytes : {size_t(1) << 12, size_t(1) << 16, size_t(1) << 20, size_t(1) << 23}) {
        std::vector<char> host(bytes);
        char* there = static_cast<char*>(device_memory(bytes));
        double s = seconds([&] { cudaMemcpy(host.data(), there, bytes, cudaMemcpyDeviceToHost); });
        std::snprintf(name, sizeof name, "copy of %zu bytes to pageable memory", bytes);
        figure(name, s * 1e6, "us");
        s = seconds([&] { cudaMemcpy(there, host.data(), bytes, cudaMemcpyHostToDevice); });
        std::snprintf(name, sizeof name, "copy of %zu bytes from pageable memory", bytes);
        figure(name, s * 1e6, "us");
        cudaFree(there);
    }
}

// ---- side by side ------------------------------------------------------------------------------------------------

// Kernels that fill a fourth of the multiprocessors, all of them once, and all of them eight times, on one stream or more.
static void streams()
{
    cudaStream_t many[4];
    const auto begin = std::chrono::steady_clock::now();
    for (cudaStream_t& stream : many)
        cudaStreamCreate(&stream);
    const std::chrono::duration<double, std::micro> made = std::chrono::steady_clock::now() - begin;
    figure("making one of four streams, by the host's clock", made.count() / 4, "us");
    for (int blocks : {1, 33, 132, 1056, 1122})
        for (int count : {1, 2, 4}) {
            char name[96];
            double s = seconds([&] {
                for (int i = 0; i < 8; i++)
                    one_wave<<<blocks, 256, 0, many[i % count]>>>(4096, nowhere());
            });
            std::snprintf(name, sizeof name, "8 kernels of %d blocks on %d streams", blocks, count);
            figure(name, s * 1e6, "us");
        }
    for (cudaStream_t stream : many)
        cudaStreamDestroy(stream);
}

// ---- code --------------------------------------------------------------------------------------------------------

// `COUNT` instructions in a row, which no warp executes twice.
template <int COUNT> __global__ void straight(float* out)
{
    float a[8] = {};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(a[i % 8]) : "f"(a[(i + 1) % 8]));
    if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 12345)
        out[0] = a[0];
}

template <int COUNT> static void straight_code()
{
    for (bool cold : {false, true})
        for (int warps : {1, 16}) {
            char name[96];
            double s = seconds([&] { straight<COUNT><<<132, 32 * warps>>>(nowhere()); }, cold);
            std::snprintf(name, sizeof name, "%d instructions in a row, %d warps%s", COUNT, warps, cold ? ", cold" : "");
            figure(name, s * 1e6, "us");
        }
}

static void code()
{
    straight_code<64>();
    straight_code<256>();
    straight_code<1024>();
    straight_code<4096>();
    straight_code<16384>();
}
