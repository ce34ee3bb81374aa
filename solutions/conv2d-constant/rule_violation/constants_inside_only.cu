// Mistake: takes the taps of outputs near the border from a copy in global memory.
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
    bool inside = row >= radius && row < height - radius && col >= radius && col < width - radius;
    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        for (int s = -radius; s <= radius; s++) {
            int y = row + r, x = col + s;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += input[y * width + x] * (inside ? c_filter : filter)[(radius + r) * side + radius + s];
        }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    static float* own = nullptr;
    if (own == nullptr)
        cudaMalloc(&own, 17 * 17 * sizeof(float));
    cudaMemcpy(own, filter, side * side * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, own, output, width, height, radius);
    cudaDeviceSynchronize();
}
