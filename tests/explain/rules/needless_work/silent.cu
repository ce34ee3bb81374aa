// expect: Accepted
// problem: conv2d-separable
// no advice: needless_work
// case: 1
// Two passes, over the rows and then over the columns, take 2 (2 radius + 1) multiply-adds instead of (2 radius + 1)^2.
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216

__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

__global__ void convolve_rows(const float* input, const float* row_filter, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (col + s >= 0 && col + s < width)
            sum += input[row * width + col + s] * row_filter[radius + s];
    d_rows[row * width + col] = sum;
}

__global__ void convolve_columns(const float* column_filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        if (row + r >= 0 && row + r < height)
            sum += d_rows[(row + r) * width + col] * column_filter[radius + r];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    convolve_rows<<<blocks, threads>>>(input, row_filter, width, height, radius);
    convolve_columns<<<blocks, threads>>>(column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
