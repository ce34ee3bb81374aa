// expect: Accepted
// problem: conv1d
// A tile of exactly the size that its block reads. nvcc loads the last three floats of a thread as four, of which the last one
// lies behind the tile and is not used.
#include <cuda_runtime.h>

#define OUTPUTS 4
#define THREADS 32
#define TAPS 4

extern __shared__ float4 storage[];

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float* tile = (float*)storage;
    int output_size = input_size - kernel_size + 1, first = blockIdx.x * THREADS * OUTPUTS;
    int inside = min(THREADS * OUTPUTS, output_size - first);
    float sums[OUTPUTS] = {0};
    for (int piece = 0; piece < kernel_size; piece += TAPS) {
        for (int i = threadIdx.x; i < THREADS * OUTPUTS + TAPS - 1; i += THREADS)
            tile[i] = first + piece + i < input_size ? input[first + piece + i] : 0;
        __syncthreads();
        float window[OUTPUTS + TAPS - 1];
#pragma unroll
        for (int i = 0; i < OUTPUTS + TAPS - 1; i++)
            window[i] = tile[OUTPUTS * threadIdx.x + i];
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            float tap = piece + k < kernel_size ? kernel[piece + k] : 0;
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++)
                sums[i] += window[i + k] * tap;
        }
        __syncthreads();
    }
    for (int i = 0; i < OUTPUTS; i++)
        if (OUTPUTS * threadIdx.x + i < inside)
            output[first + OUTPUTS * threadIdx.x + i] = sums[i];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, outputs = THREADS * OUTPUTS;
    convolve<<<(output_size + outputs - 1) / outputs, THREADS, (outputs + TAPS - 1) * sizeof(float)>>>(
        input, kernel, output, input_size, kernel_size);
}
