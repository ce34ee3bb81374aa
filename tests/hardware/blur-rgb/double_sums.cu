// Sums in double precision, and doubles between the passes; a thread for each byte of a row.
// problem: blur-rgb
#include <cuda_runtime.h>

__device__ double buffer[4 * 16777216];

__global__ void rows_pass(const unsigned char* image, const float* filter, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 * width * height)
        return;
    int x = i / 4 % width;
    double sum = 0.0;
    for (int s = max(-radius, -x); s <= min(radius, width - 1 - x); s++)
        sum += (double)image[i + 4 * s] * (double)filter[radius + s];
    buffer[i] = sum;
}

__global__ void columns_pass(const float* filter, unsigned char* output, int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 * width * height)
        return;
    int y = i / 4 / width;
    double sum = 0.0;
    for (int r = max(-radius, -y); r <= min(radius, height - 1 - y); r++)
        sum += buffer[i + 4 * r * width] * (double)filter[radius + r];
    output[i] = sum <= 0.0 ? 0 : sum >= 255.0 ? 255 : (unsigned char)(sum + 0.5);
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    int blocks = (4 * width * height + 511) / 512;
    rows_pass<<<blocks, 512>>>(image, filter, width, height, radius);
    columns_pass<<<blocks, 512>>>(filter, output, width, height, radius);
}
