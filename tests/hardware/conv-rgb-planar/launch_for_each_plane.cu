// Three launches, one for each plane, of blocks of 16 x 16 with tests for each tap.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[(radius + r) * (2 * radius + 1) + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    for (int plane = 0; plane < 3; plane++) {
        size_t start = (size_t)plane * width * height;
        convolve<<<blocks, dim3(16, 16)>>>(input + start, filter, output + start, width, height, radius);
    }
    cudaDeviceSynchronize();
}
