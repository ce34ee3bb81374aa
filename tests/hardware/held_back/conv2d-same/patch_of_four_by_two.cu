// A thread computes a patch of 4 columns by 2 rows of a tile of 128 x 16 in shared memory.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float tile[16 + 32][128 + 32], taps[33 * 33];
    int side = 2 * radius + 1, thread = threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < side * side; k += 256)
        taps[k] = filter[k];
    int top = blockIdx.x * 16 - radius, left = blockIdx.y * 128 - radius;
    for (int y = threadIdx.y; y < 16 + 2 * radius; y += 8)
        for (int x = threadIdx.x; x < 128 + 2 * radius; x += 32) {
            bool exists = top + y >= 0 && top + y < height && left + x >= 0 && left + x < width;
            tile[y][x] = exists ? input[(top + y) * width + left + x] : 0.0f;
        }
    __syncthreads();
    float sum[2][4] = {};
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++) {
            float tap = taps[r * side + s];
#pragma unroll
            for (int y = 0; y < 2; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sum[y][x] += tile[threadIdx.y + 8 * y + r][threadIdx.x + 32 * x + s] * tap;
        }
#pragma unroll
    for (int y = 0; y < 2; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) {
            int row = blockIdx.x * 16 + threadIdx.y + 8 * y, col = blockIdx.y * 128 + threadIdx.x + 32 * x;
            if (row < height && col < width)
                output[row * width + col] = sum[y][x];
        }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<dim3((height + 15) / 16, (width + 127) / 128), dim3(32, 8)>>>(input, filter, output, width, height,
                                                                             radius);
}
