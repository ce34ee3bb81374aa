// Mistake: reads every tap from constant memory, but takes what it multiplies from global memory.
// problem: conv2d-constant
#include <cuda_runtime.h>

#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            int y = row + r, x = col + s;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += input[y * width + x] * filter[(radius + r) * side + radius + s] +
                       0.0f * c_filter[(radius + r) * side + radius + s];
        }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
