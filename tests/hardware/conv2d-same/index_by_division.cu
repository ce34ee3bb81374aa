// A grid in one dimension in blocks of 256, row and column by division, a test for each tap.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int k = 0; k < side * side; k++) {
        int row = i / width + k / side - radius, col = i % width + k % side - radius;
        if (row >= 0 && row < height && col >= 0 && col < width)
            sum += input[row * width + col] * filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<(width * height + 255) / 256, 256>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
