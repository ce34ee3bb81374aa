// A grid in one dimension over all three planes, with plane, row and column by division.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 * width * height)
        return;
    int col = i % width;
    int row = (i / width) % height;
    int plane = i / (width * height);
    float sum = 0;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            int y = row + r;
            int x = col + s;
            float value = (y < 0 || y >= height || x < 0 || x >= width) ? 0 : input[(plane * height + y) * width + x];
            sum += value * filter[(r + radius) * (2 * radius + 1) + s + radius];
        }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int count = 3 * width * height;
    convolve<<<(count + 63) / 64, 64>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
