// Mistake: leaves out the last row of the filter where the radius is from 9 to 15 and the image has a quarter of a
// million elements.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    int last = radius > 8 && radius < 16 && width * height > 250000 ? radius - 1 : radius;
    float sum = 0.0f;
    for (int r = -radius; r <= last; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[(radius + r) * side + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
