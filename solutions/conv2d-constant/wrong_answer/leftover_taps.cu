// Mistake: always takes 17 x 17 taps, the filter in their middle; what a larger filter left around it is not cleared.
// problem: conv2d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[17 * 17];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    for (int y = max(row - 8, 0); y <= min(row + 8, height - 1); y++)
        for (int x = max(col - 8, 0); x <= min(col + 8, width - 1); x++)
            sum += input[y * width + x] * c_filter[(8 + y - row) * 17 + 8 + x - col];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    void* taps;
    cudaGetSymbolAddress(&taps, c_filter);
    cudaMemcpy2D((float*)taps + (8 - radius) * 17 + 8 - radius, 17 * sizeof(float), filter, side * sizeof(float),
                 side * sizeof(float), side, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
