// Times the kernels of a conv1d solution without the judge, in an ordinary program: events stand right before and after
// them. Prints the median in microseconds.
// Usage: nvcc -DSOLUTION='"FILE"' tools/bench/tight.cu; a.out INPUT_SIZE KERNEL_SIZE
//
// Before each call it writes twice the size of the L2 cache. This makes the cache cold and keeps the device busy while the
// host queues events and kernels, so no launch latency lies between the events. solve() must not wait for that, so
// the calls that wait are defined away.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define cudaDeviceSynchronize() static_cast<void>(0)
#include SOLUTION
#undef cudaDeviceSynchronize

constexpr int WARM_UPS = 10, CALLS = 100;

static float* device_array(size_t count)
{
    std::vector<float> values(count);
    for (float& value : values)
        value = std::rand() / (RAND_MAX + 1.0f) * 2 - 1;
    float* array = nullptr;
    cudaMalloc(&array, count * sizeof(float));
    cudaMemcpy(array, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    return array;
}

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    const int input_size = std::atoi(argv[1]), kernel_size = std::atoi(argv[2]);
    float *input = device_array(input_size), *kernel = device_array(kernel_size), *output = device_array(input_size);
    int l2_bytes = 0;
    void* flush = nullptr;
    cudaEvent_t start, stop;
    cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
    cudaMalloc(&flush, 2 * static_cast<size_t>(l2_bytes));
    cudaEventCreate(&start);
    cudaEventCreate(&stop);

    std::vector<float> times;
    for (int i = -WARM_UPS; i < CALLS; i++) {
        float ms = 0;
        cudaMemsetAsync(flush, i & 0xFF, 2 * static_cast<size_t>(l2_bytes));
        cudaEventRecord(start);
        solve(input, kernel, output, input_size, kernel_size);
        cudaEventRecord(stop);
        if (cudaDeviceSynchronize() != cudaSuccess || cudaEventElapsedTime(&ms, start, stop) != cudaSuccess)
            return 1;
        if (i >= 0)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    std::printf("%.3f\n", 1000 * (times[CALLS / 2 - 1] + times[CALLS / 2]) / 2);
}
