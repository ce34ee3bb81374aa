// Mistake: no __syncthreads() between loading the shared tile and using it: rows that another warp loads
// may not be there yet.
// on cuda: Accepted, Wrong Answer
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define TILE 16

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    extern __shared__ float s_input[]; // tile_side x tile_side

    int tile_side = TILE + 2 * radius;
    int first_row = blockIdx.x * TILE;
    int first_col = blockIdx.y * TILE;
    for (int r = threadIdx.y; r < tile_side; r += TILE)
        for (int s = threadIdx.x; s < tile_side; s += TILE) {
            int row = first_row + r - radius;
            int col = first_col + s - radius;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[r * tile_side + s] = inside ? input[row * width + col] : 0.0f;
        }

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[(threadIdx.y + r) * tile_side + threadIdx.x + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE, 3);
    size_t shared_bytes = (TILE + 2 * radius) * (TILE + 2 * radius) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
