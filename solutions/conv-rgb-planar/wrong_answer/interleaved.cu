// Mistake: takes the colours of a pixel for neighbours in memory, as most file formats keep them.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int colour = blockIdx.z;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[3 * ((row + r) * width + col + s) + colour] * filter[(radius + r) * side + radius + s];
    output[3 * (row * width + col) + colour] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16, 3);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
