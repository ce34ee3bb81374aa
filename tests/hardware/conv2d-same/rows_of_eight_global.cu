// A thread computes eight neighbouring columns of a row from global memory, with the border tested once for each input.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ filter, float* __restrict__ output,
                         int width, int height, int radius)
{
    int row = blockIdx.x * 8 + threadIdx.y, first = (blockIdx.y * 16 + threadIdx.x) * 8;
    if (row >= height || first >= width)
        return;
    int side = 2 * radius + 1;
    float sum[8] = {0.0f};
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); y++) {
        const float* taps = filter + (y - row + radius) * side;
        for (int x = max(0, first - radius); x < min(width, first + 8 + radius); x++) {
            float value = input[y * width + x];
#pragma unroll
            for (int o = 0; o < 8; o++) {
                int s = x - first - o + radius;
                if (s >= 0 && s < side)
                    sum[o] += value * taps[s];
            }
        }
    }
#pragma unroll
    for (int o = 0; o < 8; o++)
        if (first + o < width)
            output[row * width + first + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<dim3((height + 7) / 8, (width + 127) / 128), dim3(16, 8)>>>(input, filter, output, width, height,
                                                                           radius);
    cudaDeviceSynchronize();
}
