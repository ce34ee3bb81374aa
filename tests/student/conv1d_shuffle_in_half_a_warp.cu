// expect: Accepted
// problem: conv1d
// Blocks of 20 threads add up the taps of one output by shuffles of a whole warp: lanes 20 to 31 do not exist, and give 0.
#include <cuda_runtime.h>

#define THREADS 20

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    for (int i = blockIdx.x; i < output_size; i += gridDim.x) {
        float sum = 0;
        for (int j = threadIdx.x; j < kernel_size; j += THREADS)
            sum += input[i + j] * kernel[j];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0)
            output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<min(output_size, 4096), THREADS>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
