// The first pass has blocks of 512 threads with a segment of a row in shared memory, the second reads global memory.
// problem: conv2d-separable
#include <cuda_runtime.h>

#define THREADS 512

__global__ void rows_pass(const float* input, const float* filter, float* rows, int width, int radius)
{
    __shared__ float segment[THREADS + 64];
    int left = blockIdx.y * THREADS - radius;
    const float* row = input + (size_t)blockIdx.x * width;
    for (int j = threadIdx.x; j < THREADS + 2 * radius; j += THREADS)
        segment[j] = left + j >= 0 && left + j < width ? row[left + j] : 0.0f;
    __syncthreads();
    int col = blockIdx.y * THREADS + threadIdx.x;
    if (col >= width)
        return;
    float sum = 0.0f;
    for (int s = 0; s <= 2 * radius; s++)
        sum += segment[threadIdx.x + s] * filter[s];
    rows[(size_t)blockIdx.x * width + col] = sum;
}

__global__ void columns_pass(const float* rows, const float* filter, float* output, int width, int height, int radius)
{
    int col = blockIdx.y * THREADS + threadIdx.x, row = blockIdx.x;
    if (col >= width)
        return;
    float sum = 0.0f;
    int top = max(0, row - radius), bottom = min(height - 1, row + radius);
#pragma unroll 4
    for (int y = top; y <= bottom; y++)
        sum += rows[y * width + col] * filter[y - row + radius];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    float* rows;
    cudaMallocAsync(&rows, sizeof(float) * width * height, 0);
    dim3 blocks(height, (width + THREADS - 1) / THREADS);
    rows_pass<<<blocks, THREADS>>>(input, row_filter, rows, width, radius);
    columns_pass<<<blocks, THREADS>>>(rows, column_filter, output, width, height, radius);
    cudaFreeAsync(rows, 0);
}
