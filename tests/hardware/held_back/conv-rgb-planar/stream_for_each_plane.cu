// Each plane has its own stream; blocks of 64 x 4 with a tile in dynamic shared memory.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    extern __shared__ float tile[];
    int pitch = 64 + 2 * radius;
    int top = blockIdx.x * 4 - radius, left = blockIdx.y * 64 - radius;
    for (int y = threadIdx.y; y < 4 + 2 * radius; y += 4)
        for (int x = threadIdx.x; x < pitch; x += 64) {
            bool exists = top + y >= 0 && top + y < height && left + x >= 0 && left + x < width;
            tile[y * pitch + x] = exists ? input[(top + y) * width + left + x] : 0.0f;
        }
    __syncthreads();
    int row = blockIdx.x * 4 + threadIdx.y, col = blockIdx.y * 64 + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += tile[(threadIdx.y + r) * pitch + threadIdx.x + s] * __ldg(&filter[r * side + s]);
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 blocks((height + 3) / 4, (width + 63) / 64);
    size_t bytes = (64 + 2 * radius) * (4 + 2 * radius) * sizeof(float);
    cudaStream_t streams[3];
    for (int plane = 0; plane < 3; plane++) {
        size_t start = (size_t)plane * width * height;
        cudaStreamCreate(&streams[plane]);
        convolve<<<blocks, dim3(64, 4), bytes, streams[plane]>>>(input + start, filter, output + start, width, height,
                                                                 radius);
    }
    for (int plane = 0; plane < 3; plane++) {
        cudaStreamSynchronize(streams[plane]);
        cudaStreamDestroy(streams[plane]);
    }
}
