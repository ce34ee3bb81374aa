// A tile of 16 x 16 inputs in shared memory has no halo: threads near its edge read global memory.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float tile[16][16];
    size_t plane = (size_t)blockIdx.z * width * height;
    int top = blockIdx.x * 16, left = blockIdx.y * 16;
    int row = top + threadIdx.y, col = left + threadIdx.x;
    bool exists = row < height && col < width;
    if (exists)
        tile[threadIdx.y][threadIdx.x] = input[plane + row * width + col];
    __syncthreads();
    if (!exists)
        return;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++) {
        int y = row + r;
        if (y < 0 || y >= height)
            continue;
        for (int s = -radius; s <= radius; s++) {
            int x = col + s;
            if (x < 0 || x >= width)
                continue;
            float value;
            if (y >= top && y < top + 16 && x >= left && x < left + 16)
                value = tile[y - top][x - left];
            else
                value = input[plane + y * width + x];
            sum += value * filter[(radius + r) * (2 * radius + 1) + radius + s];
        }
    }
    output[plane + row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + 15) / 16, (width + 15) / 16, 3);
    convolve<<<blocks, dim3(16, 16)>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
