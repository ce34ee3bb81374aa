// Slices of 128 taps, and the inputs under them, are copied asynchronously while the slice before is computed.
// problem: conv1d
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define THREADS 256
#define TILE 1024
#define SLICE 128

struct Stage {
    float input[TILE + SLICE];
    float taps[SLICE];
};

__device__ void begin_copy(Stage* stage, const float* input, const float* kernel, int base, int first, int size,
                           int taps)
{
    for (int j = threadIdx.x; j < TILE + SLICE; j += THREADS) {
        if (base + first + j < size)
            __pipeline_memcpy_async(&stage->input[j], &input[base + first + j], 4);
        else
            stage->input[j] = 0.0f;
    }
    if (threadIdx.x < SLICE) {
        if (first + threadIdx.x < taps)
            __pipeline_memcpy_async(&stage->taps[threadIdx.x], &kernel[first + threadIdx.x], 4);
        else
            stage->taps[threadIdx.x] = 0.0f;
    }
    __pipeline_commit();
}

__global__ void convolve(const float* input, const float* kernel, float* output, int size, int taps)
{
    __shared__ Stage stages[2];
    int base = blockIdx.x * TILE;
    float sum[TILE / THREADS] = {0.0f};
    begin_copy(&stages[0], input, kernel, base, 0, size, taps);
    int turn = 0;
    for (int first = 0; first < taps; first += SLICE, turn ^= 1) {
        bool more = first + SLICE < taps;
        if (more)
            begin_copy(&stages[turn ^ 1], input, kernel, base, first + SLICE, size, taps);
        __pipeline_wait_prior(more ? 1 : 0);
        __syncthreads();
        const Stage* stage = &stages[turn];
#pragma unroll 4
        for (int k = 0; k < SLICE; k++)
#pragma unroll
            for (int o = 0; o < TILE / THREADS; o++)
                sum[o] += stage->input[threadIdx.x + o * THREADS + k] * stage->taps[k];
        __syncthreads();
    }
    for (int o = 0; o < TILE / THREADS; o++) {
        int i = base + threadIdx.x + o * THREADS;
        if (i < size - taps + 1)
            output[i] = sum[o];
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + TILE - 1) / TILE, THREADS>>>(input, kernel, output, input_size, kernel_size);
}
