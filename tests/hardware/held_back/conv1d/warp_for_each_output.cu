// A warp computes one output: its lanes share the taps, and shuffles add up their parts.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= outputs)
        return;
    float sum = 0.0f;
    for (int k = lane; k < taps; k += 32)
        sum += input[i + k] * kernel[k];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + 7) / 8, 256>>>(input, kernel, output, outputs, kernel_size);
    cudaDeviceSynchronize();
}
