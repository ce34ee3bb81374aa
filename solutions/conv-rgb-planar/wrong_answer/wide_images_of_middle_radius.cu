// Mistake: leaves out the last column of taps where the radius is from 2 to 7 and the image has more than 1,024 columns.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    int last = width > 1024 && radius > 1 && radius < 8 ? radius - 1 : radius;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= last; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[(radius + r) * side + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16, 3);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
