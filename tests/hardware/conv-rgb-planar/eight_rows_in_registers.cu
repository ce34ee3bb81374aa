// A thread computes eight rows of a column with taps in shared memory: each input serves up to eight sums.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define EACH 8

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ filter, float* __restrict__ output,
                         int width, int height, int radius)
{
    __shared__ float taps[33 + 2 * EACH][33];
    int side = 2 * radius + 1;
    for (int j = threadIdx.x; j < (33 + 2 * EACH) * 33; j += blockDim.x) {
        int r = j / 33 - EACH, s = j % 33;
        taps[j / 33][s] = r >= 0 && r < side && s < side ? filter[r * side + s] : 0.0f;
    }
    __syncthreads();
    size_t plane = (size_t)blockIdx.z * width * height;
    int col = blockIdx.y * blockDim.x + threadIdx.x, first = blockIdx.x * EACH;
    if (col >= width)
        return;
    float sum[EACH] = {0.0f};
    for (int y = max(0, first - radius); y < min(height, first + EACH + radius); y++) {
        int tap = y - first + radius + EACH;
        for (int x = max(0, col - radius); x <= min(width - 1, col + radius); x++) {
            float value = input[plane + y * width + x];
#pragma unroll
            for (int o = 0; o < EACH; o++)
                sum[o] += value * taps[tap - o][x - col + radius];
        }
    }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (first + o < height)
            output[plane + (first + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + EACH - 1) / EACH, (width + 127) / 128, 3);
    convolve<<<blocks, 128>>>(input, filter, output, width, height, radius);
}
