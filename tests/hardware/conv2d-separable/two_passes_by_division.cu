// Two passes over a buffer of cudaMalloc(); a grid in one dimension, and a test for each tap.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void rows_pass(const float* input, const float* filter, float* rows, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int col = i % width;
    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (col + s >= 0 && col + s < width)
            sum += input[i + s] * filter[radius + s];
    rows[i] = sum;
}

__global__ void columns_pass(const float* rows, const float* filter, float* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int row = i / width, col = i % width;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        if (row + r >= 0 && row + r < height)
            sum += rows[(row + r) * width + col] * filter[radius + r];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    float* rows;
    int blocks = (width * height + 255) / 256;
    cudaMalloc(&rows, sizeof(float) * width * height);
    rows_pass<<<blocks, 256>>>(input, row_filter, rows, width, height, radius);
    columns_pass<<<blocks, 256>>>(rows, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
    cudaFree(rows);
}
