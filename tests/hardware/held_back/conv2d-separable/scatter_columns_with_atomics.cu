// A thread filters along its row, and adds the result to all outputs of its column by atomic additions.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height)
        return;
    int row = i / width, col = i % width;
    float value = 0.0f;
    for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
        value += input[i + s - radius] * row_filter[s];
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++)
        atomicAdd(&output[y * width + col], value * column_filter[row - y + radius]);
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    cudaMemset(output, 0, sizeof(float) * width * height);
    convolve<<<(width * height + 255) / 256, 256>>>(input, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
