// A block of 24 x 24 threads loads as many inputs, and only those that have all neighbours in the tile compute.
// problem: conv2d-constant
#include <cuda_runtime.h>

#define SIDE 24

__constant__ float c_filter[17 * 17];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float tile[SIDE][SIDE];
    int inner = SIDE - 2 * radius;
    int row = blockIdx.x * inner + threadIdx.y - radius, col = blockIdx.y * inner + threadIdx.x - radius;
    bool exists = row >= 0 && row < height && col >= 0 && col < width;
    tile[threadIdx.y][threadIdx.x] = exists ? input[row * width + col] : 0.0f;
    __syncthreads();
    int y = threadIdx.y - radius, x = threadIdx.x - radius;
    if (!exists || y < 0 || y >= inner || x < 0 || x >= inner)
        return;
    float sum = 0.0f;
    for (int r = 0; r <= 2 * radius; r++)
        for (int s = 0; s <= 2 * radius; s++)
            sum += tile[y + r][x + s] * c_filter[r * (2 * radius + 1) + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1, inner = SIDE - 2 * radius;
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 blocks((height + inner - 1) / inner, (width + inner - 1) / inner);
    convolve<<<blocks, dim3(SIDE, SIDE)>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
