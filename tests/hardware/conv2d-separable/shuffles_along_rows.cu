// The first pass is done by warps whose lanes hold 32 inputs each, and pass them on by shuffles.
// problem: conv2d-separable
#include <cuda_runtime.h>

__device__ float buffer[16777216];

__global__ void rows_pass(const float* input, const float* filter, int width, int height, int radius)
{
    int lane = threadIdx.x, row = blockIdx.x * 8 + threadIdx.y, base = blockIdx.y * 32;
    if (row >= height)
        return;
    const float* from = input + row * width;
    float sum = 0.0f;
    for (int first = base - 32; first <= base + 32; first += 32) {
        float mine = first + lane >= 0 && first + lane < width ? from[first + lane] : 0.0f;
        for (int j = 0; j < 32; j++) {
            float value = __shfl_sync(0xffffffff, mine, j);
            int tap = first + j - (base + lane) + radius;
            if (tap >= 0 && tap <= 2 * radius)
                sum += value * filter[tap];
        }
    }
    if (base + lane < width)
        buffer[row * width + base + lane] = sum;
}

__global__ void columns_pass(const float* filter, float* output, int width, int height, int radius)
{
    int col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 8 + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        sum += buffer[y * width + col] * filter[y - row + radius];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    dim3 blocks((height + 7) / 8, (width + 31) / 32), threads(32, 8);
    rows_pass<<<blocks, threads>>>(input, row_filter, width, height, radius);
    columns_pass<<<blocks, threads>>>(column_filter, output, width, height, radius);
}
