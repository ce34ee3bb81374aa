// A thread computes the same pixel of all three planes, with taps in constant memory.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__constant__ float c_filter[33 * 33];

__global__ void convolve(const float* __restrict__ input, float* __restrict__ output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    int plane = width * height;
    float red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        for (int x = max(0, col - radius); x <= min(width - 1, col + radius); x++) {
            float tap = c_filter[(y - row + radius) * (2 * radius + 1) + x - col + radius];
            int i = y * width + x;
            red += input[i] * tap;
            green += input[i + plane] * tap;
            blue += input[i + 2 * plane] * tap;
        }
    int i = row * width + col;
    output[i] = red;
    output[i + plane] = green;
    output[i + 2 * plane] = blue;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 blocks((height + 7) / 8, (width + 31) / 32);
    convolve<<<blocks, dim3(32, 8)>>>(input, output, width, height, radius);
}
