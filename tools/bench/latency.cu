// problem: conv1d
//
// Measures how long two CUDA calls keep the host: as a submission (it prints the figures in its first case) and, with
// -DORDINARY_PROGRAM, as an ordinary program. tools/bench_gpu.sh compares the two.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>

constexpr int BATCHES = 101, SYNCHRONISES = 100, LAUNCHES = 32;

__global__ void nothing()
{
}

static double now_us()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

// Median over the batches of the time of one call, with the device idle when a batch begins.
template <typename Call> static double median_us(int calls, Call call)
{
    double times[BATCHES];
    for (double& time : times) {
        cudaDeviceSynchronize();
        const double start = now_us();
        for (int i = 0; i < calls; i++)
            call();
        time = (now_us() - start) / calls;
    }
    std::sort(times, times + BATCHES);
    cudaDeviceSynchronize();
    return times[BATCHES / 2];
}

static void print_latencies()
{
    nothing<<<1, 1>>>(); // the first launch loads the kernel
    const double synchronise = median_us(SYNCHRONISES, [] { cudaDeviceSynchronize(); });
    const double launch = median_us(LAUNCHES, [] { nothing<<<1, 1>>>(); });
    std::printf("synchronise %.3f launch %.3f\n", synchronise, launch);
}

#ifdef ORDINARY_PROGRAM
int main()
{
    print_latencies();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
#else
__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool printed = false;
    int output_size = input_size - kernel_size + 1;
    if (!printed)
        print_latencies();
    printed = true;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
#endif
