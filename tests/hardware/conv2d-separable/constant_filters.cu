// Both filters in one array of constant memory; blocks of 16 x 16, written a second time by the second pass.
// problem: conv2d-separable
#include <cuda_runtime.h>

__constant__ float c_filters[2][65];
__device__ float buffer[16777216];

template <bool IS_COLUMN>
__global__ void pass(const float* from, float* to, int width, int height, int radius)
{
    int row = blockIdx.x * 16 + threadIdx.y, col = blockIdx.y * 16 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    int place = IS_COLUMN ? row : col, end = IS_COLUMN ? height : width;
    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (place + s >= 0 && place + s < end)
            sum += from[row * width + col + s * (IS_COLUMN ? width : 1)] * c_filters[IS_COLUMN][radius + s];
    to[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    size_t bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbolAsync(c_filters, row_filter, bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbolAsync(c_filters, column_filter, bytes, 65 * sizeof(float), cudaMemcpyDeviceToDevice);
    void* middle;
    cudaGetSymbolAddress(&middle, buffer);
    dim3 blocks((height + 15) / 16, (width + 15) / 16), threads(16, 16);
    pass<false><<<blocks, threads>>>(input, (float*)middle, width, height, radius);
    pass<true><<<blocks, threads>>>((const float*)middle, output, width, height, radius);
    cudaDeviceSynchronize();
}
