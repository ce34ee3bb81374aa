// expect: Accepted
// problem: conv1d
// One kernel in three steps, with grid.sync() between them: blocks turn the filter around in device memory, each block
// adds up a part of the taps for all outputs, and then each element is put together from the parts of all blocks.
#include <cooperative_groups.h>
#include <cstdlib>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(3);
}

enum { PARTS = 8 };

__global__ void convolve(const float *input, const float *filter, float *turned, float *parts, float *output, int size,
                         int taps)
{
    cg::grid_group grid = cg::this_grid();
    long long rank = grid.thread_rank(), threads = grid.size();
    for (long long k = rank; k < taps; k += threads)
        turned[taps - 1 - k] = filter[k];
    grid.sync();
    for (long long j = rank; j < (long long)size * PARTS; j += threads) {
        int part = j / size, i = j % size;
        float sum = 0;
        for (int k = part; k < taps; k += PARTS)
            sum += input[i + k] * turned[taps - 1 - k];
        parts[j] = sum;
    }
    grid.sync();
    for (long long i = rank; i < size; i += threads) {
        float sum = 0;
        for (int part = 0; part < PARTS; part++)
            sum += parts[(long long)part * size + i];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int size = input_size - kernel_size + 1, blocks = 0, multiprocessors = 0, supported = 0;
    float *turned, *parts;
    check(cudaMalloc(&turned, kernel_size * sizeof(float)));
    check(cudaMalloc(&parts, (size_t)size * PARTS * sizeof(float)));
    check(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, convolve, 256, 0));
    void *arguments[] = {&input, &kernel, &turned, &parts, &output, &size, &kernel_size};
    if (!supported || cudaLaunchCooperativeKernel((void *)convolve, dim3(blocks * multiprocessors + 1), dim3(256),
                                                  arguments, 0, nullptr) != cudaErrorCooperativeLaunchTooLarge)
        exit(4);
    cudaGetLastError();
    int most = (size + 255) / 256, grid = most < multiprocessors ? most : multiprocessors;
    check(cudaLaunchCooperativeKernel((void *)convolve, dim3(grid), dim3(256), arguments, 0, nullptr));
    check(cudaDeviceSynchronize());
    check(cudaFree(turned));
    check(cudaFree(parts));
}
