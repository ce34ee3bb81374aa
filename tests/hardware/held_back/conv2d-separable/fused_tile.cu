// One kernel: a tile of 32 x 32 with its halo in shared memory, filtered by rows into a second tile, then by columns.
// problem: conv2d-separable
#include <cuda_runtime.h>

#define SIDE 32

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    extern __shared__ float shared[];
    int across = SIDE + 2 * radius;
    float* tile = shared;
    float* rows = tile + across * across;
    int left = blockIdx.x * SIDE - radius, top = blockIdx.y * SIDE - radius;
    for (int y = threadIdx.y; y < across; y += blockDim.y)
        for (int x = threadIdx.x; x < across; x += SIDE) {
            int row = top + y, col = left + x;
            tile[y * across + x] = row >= 0 && row < height && col >= 0 && col < width ? input[row * width + col]
                                                                                       : 0.0f;
        }
    __syncthreads();
    for (int y = threadIdx.y; y < across; y += blockDim.y) {
        float sum = 0.0f;
        for (int s = 0; s <= 2 * radius; s++)
            sum += tile[y * across + threadIdx.x + s] * row_filter[s];
        rows[y * SIDE + threadIdx.x] = sum;
    }
    __syncthreads();
    int col = blockIdx.x * SIDE + threadIdx.x;
    for (int y = threadIdx.y; y < SIDE; y += blockDim.y) {
        float sum = 0.0f;
        for (int r = 0; r <= 2 * radius; r++)
            sum += rows[(y + r) * SIDE + threadIdx.x] * column_filter[r];
        if (blockIdx.y * SIDE + y < height && col < width)
            output[(blockIdx.y * SIDE + y) * width + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    int across = SIDE + 2 * radius;
    size_t bytes = (across * across + across * SIDE) * sizeof(float);
    dim3 blocks((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    convolve<<<blocks, dim3(SIDE, 8), bytes>>>(input, row_filter, column_filter, output, width, height, radius);
}
