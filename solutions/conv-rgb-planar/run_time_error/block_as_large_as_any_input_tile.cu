// Mistake: one thread for each element of the input tile of 16 x 16 outputs: beyond radius 8 that is more than the
// 1024 threads that a block can have.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define TILE 16

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    extern __shared__ float s_input[]; // blockDim.y x blockDim.x

    int row = blockIdx.x * TILE + threadIdx.y - radius;
    int col = blockIdx.y * TILE + threadIdx.x - radius;
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    s_input[threadIdx.y * blockDim.x + threadIdx.x] = inside ? input[row * width + col] : 0.0f;
    __syncthreads();

    int tile_row = threadIdx.y - radius;
    int tile_col = threadIdx.x - radius;
    bool idle = tile_row < 0 || tile_row >= TILE || tile_col < 0 || tile_col >= TILE;
    if (idle || !inside)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[(tile_row + r) * blockDim.x + tile_col + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int block_side = TILE + 2 * radius;
    dim3 threads(block_side, block_side);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE, 3);
    size_t shared_bytes = block_side * block_side * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
