// A thread has four outputs that lie 256 elements apart; the loop over taps is unrolled eight times.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* __restrict__ input, float* __restrict__ output, int width, int filter_width)
{
    int first = blockIdx.x * 1024 + threadIdx.x, radius = filter_width / 2;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    bool inside = blockIdx.x * 1024 >= radius && blockIdx.x * 1024 + 1024 + radius <= width;
    if (inside) {
#pragma unroll 8
        for (int k = 0; k < filter_width; k++)
#pragma unroll
            for (int o = 0; o < 4; o++)
                sum[o] += input[first + 256 * o + k - radius] * c_filter[k];
    } else {
        for (int k = 0; k < filter_width; k++)
#pragma unroll
            for (int o = 0; o < 4; o++) {
                int j = first + 256 * o + k - radius;
                if (j >= 0 && j < width)
                    sum[o] += input[j] * c_filter[k];
            }
    }
#pragma unroll
    for (int o = 0; o < 4; o++)
        if (first + 256 * o < width)
            output[first + 256 * o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbolAsync(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 1023) / 1024, 256>>>(input, output, width, filter_width);
}
