// problem: conv-rgb-planar
//
// constant filter and tile: taps come from the constant cache, which broadcasts one value to a whole warp, inputs from
// a shared tile of 32 x 32 outputs and its halo. A warp is a row of 32 outputs, so its loads access 32 different banks.
// With T = 32 and F = 2 radius + 1, F^2 / 2 * (T / (T + 2 radius))^2 operations for each byte of input loaded: 4 with
// radius 1, 136 with 16.
#include <cuda_runtime.h>

#define TILE 32
#define MAX_RADIUS 16
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    // also right: narrow index: the planes have less than 2^31 elements together, so an int can place each of them
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    __shared__ float s_input[TILE + 2 * MAX_RADIUS][TILE + 2 * MAX_RADIUS];

    int first_row = blockIdx.x * TILE;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE;
    for (int r = threadIdx.y; r < TILE + 2 * radius; r += TILE)
        for (int s = threadIdx.x; s < TILE + 2 * radius; s += TILE) {
            int row = first_row + r - radius;
            int col = first_col + s - radius;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[r][s] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= height || col >= width)
        return;

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    float sum = 0.0f;
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * c_filter[r * side + s];
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    dim3 threads(TILE, TILE);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE, 3);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
