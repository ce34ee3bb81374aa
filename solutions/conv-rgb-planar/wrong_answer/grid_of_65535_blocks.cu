// Mistake: at most 65,535 blocks of 256 threads, so outputs beyond 16,776,960 are never computed.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int col = i % width;
    int row = i / width % height;
    int plane = i / width / height;
    if (plane >= 3)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[i + r * width + s] * filter[(radius + r) * side + radius + s];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int blocks = (3 * width * height + 255) / 256;
    convolve<<<min(blocks, 65535), 256>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
