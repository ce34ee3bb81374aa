// A thread for each byte, a grid in one dimension, and two passes over a buffer of floats from cudaMalloc().
// problem: blur-rgb
#include <cuda_runtime.h>

__global__ void rows_pass(const unsigned char* image, const float* filter, float* rows, int width, int count,
                          int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int x = i / 4 % width;
    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (x + s >= 0 && x + s < width)
            sum += image[i + 4 * s] * filter[radius + s];
    rows[i] = sum;
}

__global__ void columns_pass(const float* rows, const float* filter, unsigned char* output, int width, int height,
                             int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height * 4)
        return;
    int y = i / 4 / width;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        if (y + r >= 0 && y + r < height)
            sum += rows[i + 4 * r * width] * filter[radius + r];
    output[i] = (unsigned char)fminf(fmaxf(sum + 0.5f, 0.0f), 255.0f);
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    int count = width * height * 4;
    float* rows;
    cudaMalloc(&rows, count * sizeof(float));
    rows_pass<<<(count + 255) / 256, 256>>>(image, filter, rows, width, count, radius);
    columns_pass<<<(count + 255) / 256, 256>>>(rows, filter, output, width, height, radius);
    cudaDeviceSynchronize();
    cudaFree(rows);
}
