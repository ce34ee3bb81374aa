// Persistent blocks take the next tile of 1024 outputs from an atomic counter; tile and taps lie in shared memory.
// problem: conv1d
#include <cuda_runtime.h>

#define TILE 1024

__device__ int next_tile;

__global__ void reset()
{
    next_tile = 0;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int size, int outputs, int taps)
{
    __shared__ float s_taps[2047], s_input[TILE + 2047];
    __shared__ int tile;
    for (int k = threadIdx.x; k < taps; k += blockDim.x)
        s_taps[k] = kernel[k];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            tile = atomicAdd(&next_tile, 1);
        __syncthreads();
        int base = tile * TILE;
        if (base >= outputs)
            break;
        for (int j = threadIdx.x; j < TILE + taps - 1 && base + j < size; j += blockDim.x)
            s_input[j] = input[base + j];
        __syncthreads();
        for (int o = threadIdx.x; o < TILE && base + o < outputs; o += blockDim.x) {
            float sum = 0.0f;
            for (int k = 0; k < taps; k++)
                sum += s_input[o + k] * s_taps[k];
            output[base + o] = sum;
        }
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    reset<<<1, 1>>>();
    convolve<<<2 * 132, 512>>>(input, kernel, output, input_size, input_size - kernel_size + 1, kernel_size);
}
