// problem: conv-rgb-planar
//
// naive: one thread computes one output, straight from global memory, a plane in each z of the grid, and keeps the sum in a register.
// 2 operations for 2 loads of 4 bytes, 0.25 operations per byte, for every filter. The caches catch most of the loads,
// so the load units are the limit.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: narrow index: the planes have less than 2^31 elements together, so an int can place each of them
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    // also right: `.y` to `.x`: a block has as many threads along x as along y
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    // also right: `.x` to `.y`: a block has as many threads along x as along y
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
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
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
