// Mistake: in the kernel for radius 1, the row is a short, which holds at most 32,767.
// expect: Run-Time Error, Wrong Answer
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve_3x3(const float* input, const float* filter, float* output, int width, int height)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    short row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        int from_row = row + i / 3 - 1, from_col = col + i % 3 - 1;
        if (from_row >= 0 && from_row < height && from_col >= 0 && from_col < width)
            sum += input[from_row * width + from_col] * filter[i];
    }
    output[row * width + col] = sum;
}

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
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * filter[(radius + r) * side + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16, 3);
    if (radius == 1)
        convolve_3x3<<<blocks, threads>>>(input, filter, output, width, height);
    else
        convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
