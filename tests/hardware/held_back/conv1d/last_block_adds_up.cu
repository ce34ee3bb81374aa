// Eight blocks compute parts of 1024 outputs in a buffer, and the last of them to finish adds the parts up.
// problem: conv1d
#include <cuda_runtime.h>

#define TILE 1024
#define PARTS 8

__device__ float parts[PARTS][16777216];
__device__ unsigned finished[16777216 / TILE + 1];

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    __shared__ unsigned before;
    int part = blockIdx.y, step = (taps + PARTS - 1) / PARTS;
    int begin = part * step, end = min(taps, begin + step);
    for (int o = threadIdx.x; o < TILE; o += blockDim.x) {
        int i = blockIdx.x * TILE + o;
        if (i >= outputs)
            break;
        float sum = 0.0f;
        for (int k = begin; k < end; k++)
            sum += input[i + k] * kernel[k];
        parts[part][i] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        before = atomicAdd(&finished[blockIdx.x], 1u);
    __syncthreads();
    if (before != PARTS - 1)
        return;
    __threadfence();
    for (int o = threadIdx.x; o < TILE; o += blockDim.x) {
        int i = blockIdx.x * TILE + o;
        if (i >= outputs)
            break;
        float sum = 0.0f;
        for (int p = 0; p < PARTS; p++)
            sum += *(volatile float*)&parts[p][i];
        output[i] = sum;
    }
    if (threadIdx.x == 0)
        finished[blockIdx.x] = 0; // for the next call
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<dim3((outputs + TILE - 1) / TILE, PARTS), 256>>>(input, kernel, output, outputs, kernel_size);
    cudaDeviceSynchronize();
}
