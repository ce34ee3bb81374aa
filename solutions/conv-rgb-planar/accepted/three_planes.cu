// problem: conv-rgb-planar
//
// three planes at once: one thread computes the same pixel of all three planes. A tap is loaded once for three products,
// and the tests for the border are made once. 6 operations for 4 loads of 4 bytes, 0.375 operations per byte.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: `.y` to `.x`: a block has as many threads along x as along y
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    // also right: `.x` to `.y`: a block has as many threads along x as along y
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    // also right: narrow index: the planes have less than 2^31 elements together, so an int can place each of them
    size_t plane = (size_t)height * width;
    float red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++)
            if (row + r >= 0 && row + r < height && col + s >= 0 && col + s < width) {
                const float* pixel = input + (row + r) * width + col + s;
                float tap = filter[(radius + r) * side + radius + s];
                red += pixel[0] * tap;
                green += pixel[plane] * tap;
                blue += pixel[2 * plane] * tap;
            }
    float* result = output + row * width + col;
    result[0] = red;
    result[plane] = green;
    result[2 * plane] = blue;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
