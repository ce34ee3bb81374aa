// Mistake: the test for what 65,535 blocks of eight rows cover lets up to seven rows too many through.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__device__ float sum_at(const float* input, const float* filter, int row, int col, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[(radius + r) * side + radius + s];
    return sum;
}

__global__ void convolve_3x3(const float* input, const float* filter, float* output, int width, int height)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && col < width)
        output[row * width + col] = sum_at(input, filter, row, col, width, height, 1);
}

// The blocks lie along x, since a grid has no more than 65,535 along y.
__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row < height && col < width)
        output[row * width + col] = sum_at(input, filter, row, col, width, height, radius);
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(32, 8);
    unsigned across = (width + 31) / 32, down = (height + 7) / 8;
    if (radius == 1 && height / 8 <= 65535)
        convolve_3x3<<<dim3(across, down, 3), threads>>>(input, filter, output, width, height);
    else
        convolve<<<dim3(down, across, 3), threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
