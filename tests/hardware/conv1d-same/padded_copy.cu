// The input is copied between zeros first, and the kernel reads the copy without tests, two outputs for a thread.
// problem: conv1d-same
#include <cuda_runtime.h>

__device__ float padded[16777216 + 2048];

__global__ void convolve(const float* __restrict__ filter, float* __restrict__ output, int width, int filter_width)
{
    int i = blockIdx.x * 512 + threadIdx.x;
    float a = 0.0f, b = 0.0f;
    if (i >= width)
        return;
    bool two = i + 256 < width;
    for (int k = 0; k < filter_width; k++) {
        float tap = filter[k];
        a += padded[i + k] * tap;
        if (two)
            b += padded[i + 256 + k] * tap;
    }
    output[i] = a;
    if (two)
        output[i + 256] = b;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int radius = filter_width / 2;
    float* start;
    cudaGetSymbolAddress((void**)&start, padded);
    cudaMemsetAsync(start, 0, radius * sizeof(float));
    cudaMemcpyAsync(start + radius, input, width * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemsetAsync(start + radius + width, 0, radius * sizeof(float));
    convolve<<<(width + 511) / 512, 256>>>(filter, output, width, filter_width);
}
