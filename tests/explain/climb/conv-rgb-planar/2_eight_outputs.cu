// expect: Accepted
// problem: conv-rgb-planar
// advice: several_outputs
// A thread computes 8 outputs below one another. Going down a column of the filter, the 8 inputs under it stay in
// registers: one new input and one tap for 8 multiply-adds. Model: solutions/conv-rgb-planar/accepted/register_tile.cu,
// no tile
#include <cuda_runtime.h>

#define OUTPUTS 8 // of a thread

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    int row = (blockIdx.x * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < side; s++) {
        int x = col + s - radius;
        if (x < 0 || x >= width)
            continue;
        float window[OUTPUTS]; // inputs r .. r + 7 of column x
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++) {
            int y = row - radius + o;
            window[o] = y >= 0 && y < height ? input[y * width + x] : 0.0f;
        }
#pragma unroll 8
        for (int r = 0; r < side; r++) {
            int y = row - radius + r + OUTPUTS - 1;
            window[OUTPUTS - 1] = y >= 0 && y < height ? input[y * width + x] : 0.0f;
            float tap = filter[r * side + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < height)
            output[(row + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(32, 4);
    dim3 blocks((height + 4 * OUTPUTS - 1) / (4 * OUTPUTS), (width + 31) / 32, 3);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
