// A thread keeps sixteen outputs that lie 128 elements apart, so that one load of a tap from shared memory serves all.
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 128
#define EACH 16

__global__ void __launch_bounds__(THREADS)
    convolve(const float* input, const float* kernel, float* output, int size, int taps)
{
    extern __shared__ float s_input[];
    float* s_taps = s_input + THREADS * EACH + taps;
    int base = blockIdx.x * THREADS * EACH;
    for (int j = threadIdx.x; j < THREADS * EACH + taps; j += THREADS)
        s_input[j] = base + j < size ? input[base + j] : 0.0f;
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_taps[k] = kernel[k];
    __syncthreads();
    float sum[EACH] = {0.0f};
    for (int k = 0; k < taps; k++)
#pragma unroll
        for (int o = 0; o < EACH; o++)
            sum[o] += s_input[threadIdx.x + o * THREADS + k] * s_taps[k];
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (base + threadIdx.x + o * THREADS < size - taps + 1)
            output[base + threadIdx.x + o * THREADS] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int tile = THREADS * EACH;
    int outputs = input_size - kernel_size + 1;
    size_t bytes = (tile + 2 * kernel_size) * sizeof(float);
    convolve<<<(outputs + tile - 1) / tile, THREADS, bytes>>>(input, kernel, output, input_size, kernel_size);
}
