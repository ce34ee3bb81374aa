// expect: Accepted
// problem: conv1d
// advice: tail
// sketch: for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x) // around the kernel's body
// 210 blocks of 1024 threads for 132 multiprocessors: 78 of them work on a second block while the others have nothing to do.
#include <cuda_runtime.h>

#define THREADS 1024
#define OUTPUTS 7 // of a thread
#define TILE (THREADS * OUTPUTS)
#define MAX_KERNEL_SIZE 2047

__global__ void __launch_bounds__(THREADS, 1) convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float s_kernel[MAX_KERNEL_SIZE];
    __shared__ float s_input[TILE + MAX_KERNEL_SIZE - 1];

    int first = blockIdx.x * TILE;
    for (int k = threadIdx.x; k < kernel_size; k += THREADS)
        s_kernel[k] = kernel[k];
    for (int j = threadIdx.x; j < TILE + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 6 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[o];
#pragma unroll 7
    for (int k = 0; k < kernel_size; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
        float tap = s_kernel[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }

    int output_size = input_size - kernel_size + 1;
    int i = first + threadIdx.x * OUTPUTS;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < output_size)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + TILE - 1) / TILE, THREADS>>>(input, kernel, output, input_size, kernel_size); // here
    cudaDeviceSynchronize();
}
