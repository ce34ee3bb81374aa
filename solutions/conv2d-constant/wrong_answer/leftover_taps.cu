// Mistake: always takes 17 x 17 taps, the filter in their middle; what a larger one left around it is not cleared.
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
    for (int r = -8; r <= 8; r++)
        for (int s = -8; s <= 8; s++) {
            int y = row + r, x = col + s;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += input[y * width + x] * c_filter[(8 + r) * 17 + 8 + s];
        }
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
