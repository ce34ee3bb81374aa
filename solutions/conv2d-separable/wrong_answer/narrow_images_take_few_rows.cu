// Mistake: takes 16 rows of the halo at most where the image is at most eight columns wide.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int halo = width <= 8 && radius < 32 ? min(radius, 7) : radius;
    float sum = 0.0f;
    for (int r = -halo; r <= halo; r++) {
        if (row + r < 0 || row + r >= height)
            continue;
        for (int s = -radius; s <= radius; s++)
            if (col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * (column_filter[radius + r] * row_filter[radius + s]);
    }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    convolve<<<blocks, threads>>>(input, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
