// Bands of 256 rows go through both passes one after the other, so that what lies between them stays in the L2.
// problem: conv2d-separable
#include <cuda_runtime.h>

#define BAND 256

__device__ float band[16777216];

__global__ void rows_pass(const float* input, const float* filter, int top, int rows, int width, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * width)
        return;
    int col = i % width;
    float sum = 0.0f;
    for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
        sum += input[top * width + i + s - radius] * filter[s];
    band[i] = sum;
}

__global__ void columns_pass(const float* filter, float* output, int first, int rows, int top, int width, int height,
                             int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * width)
        return;
    int row = first + i / width, col = i % width;
    float sum = 0.0f;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        sum += band[(y - top) * width + col] * filter[y - row + radius];
    output[first * width + i] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    for (int first = 0; first < height; first += BAND) {
        int end = first + BAND < height ? first + BAND : height;
        int top = first - radius > 0 ? first - radius : 0, bottom = end + radius < height ? end + radius : height;
        rows_pass<<<((bottom - top) * width + 255) / 256, 256>>>(input, row_filter, top, bottom - top, width, radius);
        columns_pass<<<((end - first) * width + 255) / 256, 256>>>(column_filter, output, first, end - first, top,
                                                                   width, height, radius);
    }
    cudaDeviceSynchronize();
}
