// Sums in double precision in blocks of 128 x 1, the plane along z.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x, col = blockIdx.y * blockDim.x + threadIdx.x;
    if (col >= width)
        return;
    const float* from = input + (size_t)blockIdx.z * width * height;
    double sum = 0;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        for (int x = max(0, col - radius); x <= min(width - 1, col + radius); x++)
            sum += (double)from[y * width + x] *
                   (double)filter[(y - row + radius) * (2 * radius + 1) + x - col + radius];
    output[((size_t)blockIdx.z * height + row) * width + col] = (float)sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<dim3(height, (width + 127) / 128, 3), 128>>>(input, filter, output, width, height, radius);
}
