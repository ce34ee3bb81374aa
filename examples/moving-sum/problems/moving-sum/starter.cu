// problem: moving-sum
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. Both pointers are device pointers.
#include <cuda_runtime.h>

__global__ void moving_sum(const float* input, float* output, int length, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;

    float sum = 0.0f;
    // TODO: add input[j] to the sum, for j from i - radius to i + radius, where there is such an element
    output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int length, int radius)
{
    moving_sum<<<(length + 255) / 256, 256>>>(input, output, length, radius);
    cudaDeviceSynchronize();
}
