// problem: conv2d-constant
//
// constant memory: one thread for each output, the filter copied to constant memory, whose cache broadcasts one value
// to a whole warp. The loops run over the taps that lie on the image, so they need no test for ghost cells.
// Operations per byte read from global memory: 2 for the 4 bytes of an input, 1/2 for every filter.
#include <cuda_runtime.h>

#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 17 columns at most, which fit into a short
    float sum = 0.0f;
    for (int r = max(-radius, -row); r <= min(radius, height - 1 - row); r++)
        for (int s = max(-radius, -col); s <= min(radius, width - 1 - col); s++)
            sum += input[(row + r) * width + col + s] * c_filter[(radius + r) * side + radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    dim3 threads(32, 8); // also right: swapped axes: a block has another shape, and the grid follows from it
    // also right: `.y` to `.x`, `.x` to `.y`: blocks beyond the image store nothing
    dim3 blocks((height + threads.y - 1) / threads.y, (width + threads.x - 1) / threads.x);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
