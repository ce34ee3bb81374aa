// expect: Run-Time Error, Wrong Answer
// problem: conv1d
// on cuda: Accepted, Wrong Answer
// Mistake: blocks of a cooperative launch use what others store, without grid.sync() in between.
#include <cuda_runtime.h>
#include <cooperative_groups.h>

__global__ void convolve(const float* input, const float* kernel, float* output, float* part,
                         int output_size, int kernel_size)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, middle = kernel_size / 2;
    for (int i = first; i < output_size; i += step) {
        float sum = 0;
        int j = output_size - 1 - i;
        for (int k = 0; k < middle; k++)
            sum += input[j + k] * kernel[k];
        part[j] = sum;
    }

    for (int i = first; i < output_size; i += step) {
        float sum = 0;
        for (int k = middle; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum + part[i];
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float* part;
    int blocks = 4;
    cudaMalloc(&part, output_size * sizeof(float));
    void* arguments[] = {&input, &kernel, &output, &part, &output_size, &kernel_size};
    cudaLaunchCooperativeKernel((void*)convolve, blocks, 256, arguments, 0, 0);
    cudaDeviceSynchronize();
    cudaFree(part);
}
