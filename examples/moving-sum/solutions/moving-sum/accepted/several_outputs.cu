// problem: moving-sum
//
// several outputs a thread: 4 neighbours, whose sums share most elements, so that each is loaded once for all 4.
// Intensity: 4 (2 radius + 1) operations for 2 radius + 4 elements, 0.92 operations a byte for the largest radius,
// without a cache.
#include <cuda_runtime.h>

#define OUTPUTS 4

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * OUTPUTS;
    float sums[OUTPUTS] = {};
    for (int j = max(first - radius, 0); j < min(first + OUTPUTS + radius, length); j++) {
        float element = input[j];
        for (int k = 0; k < OUTPUTS; k++)
            if (abs(j - first - k) <= radius)
                sums[k] += element;
    }
    for (int k = 0; k < OUTPUTS && first + k < length; k++)
        output[first + k] = sums[k];
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    int threads = (length + OUTPUTS - 1) / OUTPUTS;
    moving_sum<<<(threads + 255) / 256, 256>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
