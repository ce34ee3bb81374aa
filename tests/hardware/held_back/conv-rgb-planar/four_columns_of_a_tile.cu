// A thread computes four columns of a tile of 128 x 8, read from shared memory 16 bytes at a time.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define PITCH 168 // 128 columns, 2 * 16 of halo, and what the last loads of 16 bytes take beyond them

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ __align__(16) float tile[8 + 32][PITCH];
    __shared__ float taps[33][36];
    size_t plane = (size_t)blockIdx.z * width * height;
    int side = 2 * radius + 1;
    for (int j = threadIdx.y * 32 + threadIdx.x; j < 33 * 36; j += 256)
        taps[j / 36][j % 36] = j / 36 < side && j % 36 < side ? filter[j / 36 * side + j % 36] : 0.0f;
    int top = blockIdx.x * 8 - radius, left = blockIdx.y * 128 - radius;
    for (int y = threadIdx.y; y < 8 + 2 * radius; y += 8)
        for (int x = threadIdx.x; x < PITCH; x += 32) {
            int row = top + y, col = left + x;
            bool exists = row >= 0 && row < height && col >= 0 && col < width;
            tile[y][x] = exists ? input[plane + row * width + col] : 0.0f;
        }
    __syncthreads();
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int r = 0; r < side; r++) {
        const float4* from = (const float4*)&tile[threadIdx.y + r][threadIdx.x * 4];
        float4 low = from[0];
        for (int s = 0; s < side; s += 4) {
            float4 high = from[s / 4 + 1];
            float window[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (int t = 0; t < 4; t++)
#pragma unroll
                for (int o = 0; o < 4; o++)
                    sum[o] += window[o + t] * taps[r][s + t];
            low = high;
        }
    }
    int row = blockIdx.x * 8 + threadIdx.y, col = blockIdx.y * 128 + threadIdx.x * 4;
    if (row < height)
#pragma unroll
        for (int o = 0; o < 4; o++)
            if (col + o < width)
                output[plane + row * width + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + 7) / 8, (width + 127) / 128, 3);
    convolve<<<blocks, dim3(32, 8)>>>(input, filter, output, width, height, radius);
}
