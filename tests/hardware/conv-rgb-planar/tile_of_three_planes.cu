// A block of 32 x 8 threads has the tiles of all three planes in shared memory, rows 32 + 2 * 16 elements long.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float tile[3][8 + 32][32 + 32];
    int top = blockIdx.x * 8 - radius, left = blockIdx.y * 32 - radius;
    int plane = width * height;
    for (int p = 0; p < 3; p++)
        for (int y = threadIdx.y; y < 8 + 2 * radius; y += 8)
            for (int x = threadIdx.x; x < 32 + 2 * radius; x += 32) {
                int row = top + y, col = left + x;
                bool exists = row >= 0 && row < height && col >= 0 && col < width;
                tile[p][y][x] = exists ? input[p * plane + row * width + col] : 0.0f;
            }
    __syncthreads();
    int row = blockIdx.x * 8 + threadIdx.y, col = blockIdx.y * 32 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum[3] = {0.0f, 0.0f, 0.0f};
    int side = 2 * radius + 1;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++) {
            float tap = filter[r * side + s];
            for (int p = 0; p < 3; p++)
                sum[p] += tile[p][threadIdx.y + r][threadIdx.x + s] * tap;
        }
    for (int p = 0; p < 3; p++)
        output[p * plane + row * width + col] = sum[p];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + 7) / 8, (width + 31) / 32);
    convolve<<<blocks, dim3(32, 8)>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
