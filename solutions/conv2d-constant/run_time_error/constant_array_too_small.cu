// Mistake: the constant array has room for 11 x 11 taps; the copy of a larger filter fails, and nothing checks that.
// problem: conv2d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[11 * 11];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
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
                sum += input[y * width + x] * c_filter[min((radius + r) * side + radius + s, 120)];
        }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1;
    dim3 threads(16, 16);
    dim3 blocks((height + 15) / 16, (width + 15) / 16);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
