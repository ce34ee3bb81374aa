// Lanes of a warp share the taps of an output, so that they read different words of constant memory; a shuffle adds up.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int part = threadIdx.x % 4, i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
    int start = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = part; k < filter_width; k += 4)
        if (start + k >= 0 && start + k < width)
            sum += input[start + k] * c_filter[k];
    sum += __shfl_down_sync(0xffffffff, sum, 2, 4);
    sum += __shfl_down_sync(0xffffffff, sum, 1, 4);
    if (part == 0 && i < width)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 63) / 64, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
