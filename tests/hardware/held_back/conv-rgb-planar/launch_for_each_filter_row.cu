// A launch for each row of the filter adds to all three planes in global memory.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void add_row(const float* input, const float* taps, float* output, int width, int height, int radius, int r)
{
    int row = blockIdx.x, col = blockIdx.y * blockDim.x + threadIdx.x;
    if (col >= width)
        return;
    size_t plane = (size_t)blockIdx.z * width * height;
    float sum = r == -radius ? 0.0f : output[plane + row * width + col];
    if (row + r >= 0 && row + r < height)
        for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
            sum += input[plane + (row + r) * width + col + s - radius] * taps[s];
    output[plane + row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks(height, (width + 127) / 128, 3);
    for (int r = -radius; r <= radius; r++)
        add_row<<<blocks, 128>>>(input, filter + (radius + r) * (2 * radius + 1), output, width, height, radius, r);
    cudaDeviceSynchronize();
}
