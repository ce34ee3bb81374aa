// Each pass filters along rows and writes its result transposed, through a tile in shared memory without padding.
// problem: conv2d-separable
#include <cuda_runtime.h>

__device__ float turned[16777216];

__global__ void pass(const float* from, const float* filter, float* to, int width, int height, int radius)
{
    __shared__ float tile[32][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int top = blockIdx.y * 32;
    for (int y = threadIdx.y; y < 32 && top + y < height; y += 8)
        if (col < width) {
            float sum = 0.0f;
            for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
                sum += from[(top + y) * width + col + s - radius] * filter[s];
            tile[y][threadIdx.x] = sum;
        }
    __syncthreads();
    int row = top + threadIdx.x;
    for (int x = threadIdx.y; x < 32; x += 8)
        if (row < height && blockIdx.x * 32 + x < width)
            to[(blockIdx.x * 32 + x) * height + row] = tile[threadIdx.x][x];
}

static void filter_rows(const float* from, const float* filter, float* to, int width, int height, int radius)
{
    pass<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(from, filter, to, width, height, radius);
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    void* middle;
    cudaGetSymbolAddress(&middle, turned);
    filter_rows(input, row_filter, (float*)middle, width, height, radius);
    filter_rows((const float*)middle, column_filter, output, height, width, radius);
    cudaDeviceSynchronize();
}
