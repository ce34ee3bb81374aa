// Columns first, rows second, and threadIdx.x along rows of the image in both: every access is strided.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void columns_pass(const float* input, const float* filter, float* columns, int width, int height, int radius)
{
    int row = blockIdx.x * 32 + threadIdx.x, col = blockIdx.y * 4 + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        if (row + r >= 0 && row + r < height)
            sum += input[(row + r) * width + col] * filter[radius + r];
    columns[col * height + row] = sum;
}

__global__ void rows_pass(const float* columns, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * 32 + threadIdx.x, col = blockIdx.y * 4 + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (col + s >= 0 && col + s < width)
            sum += columns[(col + s) * height + row] * filter[radius + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    float* columns;
    cudaMallocAsync(&columns, sizeof(float) * width * height, 0);
    dim3 blocks((height + 31) / 32, (width + 3) / 4), threads(32, 4);
    columns_pass<<<blocks, threads>>>(input, column_filter, columns, width, height, radius);
    rows_pass<<<blocks, threads>>>(columns, row_filter, output, width, height, radius);
    cudaFreeAsync(columns, 0);
    cudaDeviceSynchronize();
}
