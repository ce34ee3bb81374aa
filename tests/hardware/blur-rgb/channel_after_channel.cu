// Eight launches: for each channel a pass along the rows into a plane of floats, and one along the columns.
// problem: blur-rgb
#include <cuda_runtime.h>

__global__ void rows_pass(const unsigned char* image, const float* filter, float* plane, int width, int height,
                          int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int x = i % width;
    float sum = 0.0f;
    for (int s = max(-radius, -x); s <= min(radius, width - 1 - x); s++)
        sum += image[(i + s) * 4] * filter[radius + s];
    plane[i] = sum;
}

__global__ void columns_pass(const float* plane, const float* filter, unsigned char* output, int width, int height,
                             int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int y = i / width;
    float sum = 0.0f;
    for (int r = max(-radius, -y); r <= min(radius, height - 1 - y); r++)
        sum += plane[i + r * width] * filter[radius + r];
    output[i * 4] = (unsigned char)rintf(fminf(fmaxf(sum, 0.0f), 255.0f));
}

extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    int count = width * height;
    float* plane;
    cudaMallocAsync(&plane, count * sizeof(float), 0);
    for (int c = 0; c < 4; c++) {
        rows_pass<<<(count + 255) / 256, 256>>>(image + c, filter, plane, width, height, radius);
        columns_pass<<<(count + 255) / 256, 256>>>(plane, filter, output + c, width, height, radius);
    }
    cudaFreeAsync(plane, 0);
    cudaDeviceSynchronize();
}
