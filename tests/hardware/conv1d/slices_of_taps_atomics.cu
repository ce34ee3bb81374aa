// Blocks along y take 256 taps each, and add their part of every output with an atomic addition in global memory.
// problem: conv1d
#include <cuda_runtime.h>

#define SLICE 256

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    __shared__ float part[SLICE];
    int first = blockIdx.y * SLICE;
    int count = min(SLICE, taps - first);
    if (threadIdx.x < count)
        part[threadIdx.x] = kernel[first + threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += input[i + first + k] * part[k];
    atomicAdd(&output[i], sum);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    cudaMemsetAsync(output, 0, outputs * sizeof(float));
    dim3 blocks((outputs + SLICE - 1) / SLICE, (kernel_size + SLICE - 1) / SLICE);
    convolve<<<blocks, SLICE>>>(input, kernel, output, outputs, kernel_size);
}
