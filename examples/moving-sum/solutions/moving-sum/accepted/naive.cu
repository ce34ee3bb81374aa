// problem: moving-sum
//
// naive: one thread for each output, everything from global memory.
// Intensity: 2 radius + 1 operations for as many elements read, 1/4 operation a byte without a cache.
#include <cuda_runtime.h>

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;

    float sum = 0.0f;
    for (int j = max(i - radius, 0); j <= min(i + radius, length - 1); j++)
        sum += input[j];
    output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    moving_sum<<<(length + 255) / 256, 256>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
