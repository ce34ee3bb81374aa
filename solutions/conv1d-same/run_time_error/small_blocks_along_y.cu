// Mistake: above 256 taps, blocks of 32 outputs lie along y, where a grid has no more than 65,535: too few for two million outputs.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = (blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x, first = i - filter_width / 2;
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = max(0, -first); k < min(filter_width, width - first); k++)
        sum += input[first + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    if (filter_width > 256)
        convolve<<<dim3(1, (width + 31) / 32), 32>>>(input, filter, output, width, filter_width);
    else
        convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
