// Mistake: loads the halo in pairs of columns and forgets the odd one: the outermost columns of an odd halo are zero.
// Right for even radii, and where the whole image is one tile wide.
// problem: conv-rgb-planar
#include <cuda_runtime.h>

#define TILE 16
#define MAX_RADIUS 16

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    __shared__ float s_input[TILE + 2 * MAX_RADIUS][TILE + 2 * MAX_RADIUS];

    int first_row = blockIdx.x * TILE;
    int first_col = blockIdx.y * TILE;
    for (int r = threadIdx.y; r < TILE + 2 * radius; r += TILE)
        for (int s = threadIdx.x; s < TILE + 2 * radius; s += TILE) {
            int row = first_row + r - radius;
            int col = first_col + s - radius;
            bool loaded = col >= first_col - radius / 2 * 2 && col < first_col + TILE + radius / 2 * 2;
            bool inside = loaded && row >= 0 && row < height && col >= 0 && col < width;
            s_input[r][s] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1;
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE, 3);
    convolve<<<blocks, threads>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
