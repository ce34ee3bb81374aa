// expect: Run-Time Error
// on cuda: Wrong Answer, Run-Time Error
// problem: conv1d
// naive: does not apply: it has one size, which it both checks and times
// Leaves barriers out in the sizes that are timed, in a cooperative launch: what its blocks tell each other has an order that
// the simulated GPU does not know. But what the threads of a block do in shared memory has one.
#include <cuda_runtime.h>

constexpr int THREADS = 256, TILE = 2048;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         bool is_timed)
{
    __shared__ float tile[THREADS + TILE];
    for (int first = blockIdx.x * THREADS; first < output_size; first += gridDim.x * THREADS) {
        if (!is_timed)
            __syncthreads();
        for (int j = threadIdx.x; j < THREADS + kernel_size - 1 && first + j < output_size + kernel_size - 1; j += THREADS)
            tile[j] = input[first + j];
        __syncthreads();
        float sum = 0;
        for (int k = 0; k < kernel_size; k++)
            sum += tile[threadIdx.x + k] * kernel[k];
        if (first + threadIdx.x < output_size)
            output[first + threadIdx.x] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, blocks = (output_size + THREADS - 1) / THREADS;
    bool is_timed = input_size >= 1500000;
    void* arguments[] = {&input, &kernel, &output, &output_size, &kernel_size, &is_timed};
    cudaLaunchCooperativeKernel((void*)convolve, dim3(blocks < 528 ? blocks : 528), dim3(THREADS), arguments, 0, 0);
    cudaDeviceSynchronize();
}
