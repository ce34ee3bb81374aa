// A tile of 32 x 32 with its halo in shared memory, in blocks of 32 x 32 threads, taps from global memory.
// problem: conv2d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float tile[64][64];
    int top = blockIdx.x * 32 - radius, left = blockIdx.y * 32 - radius;
    for (int y = threadIdx.y; y < 32 + 2 * radius; y += 32)
        for (int x = threadIdx.x; x < 32 + 2 * radius; x += 32) {
            bool exists = top + y >= 0 && top + y < height && left + x >= 0 && left + x < width;
            tile[y][x] = exists ? input[(top + y) * width + left + x] : 0.0f;
        }
    __syncthreads();
    int row = blockIdx.x * 32 + threadIdx.y, col = blockIdx.y * 32 + threadIdx.x, side = 2 * radius + 1;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += tile[threadIdx.y + r][threadIdx.x + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    convolve<<<dim3((height + 31) / 32, (width + 31) / 32), dim3(32, 32)>>>(input, filter, output, width, height,
                                                                            radius);
    cudaDeviceSynchronize();
}
