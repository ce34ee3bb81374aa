// Mistake: leaves out the last tap of the rows where the radius is from 9 to 31 and the image has a quarter of a
// million elements.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int last = width * height > 250000 && radius > 8 && radius < 32 ? radius - 1 : radius;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++) {
        if (row + r < 0 || row + r >= height)
            continue;
        for (int s = -radius; s <= last; s++)
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
