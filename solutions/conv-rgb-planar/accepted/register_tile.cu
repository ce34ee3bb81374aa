// problem: conv-rgb-planar
//
// register tile: a thread computes 8 outputs below one another from a tile in shared memory. Going down a column of the
// filter, the 8 inputs under it are in registers, and each step loads one new input and one tap for 8 multiply-adds: a
// quarter of a load each. A warp is a row of 32 threads, so that no two access the same bank.
// With a tile of 64 x 32 and F = 2 radius + 1, F^2 / 2 * 64 / (64 + 2 radius) * 32 / (32 + 2 radius) operations for each
// byte of input loaded: 4.1 with radius 1, 181 with 16.
#include <cuda_runtime.h>

#define THREADS_X 32
#define THREADS_Y 8
#define OUTPUTS 8
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define MAX_RADIUS 16
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // also right: narrow index: the planes have less than 2^31 elements together, so an int can place each of them
    size_t plane = (size_t)blockIdx.z * height * width; // red, green or blue
    input += plane;
    output += plane;
    __shared__ float s_filter[MAX_SIDE * MAX_SIDE];
    extern __shared__ float s_input[]; // (TILE_ROWS + 2 radius) x (THREADS_X + 2 radius)

    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    // also right: narrow index: a tile has 64 columns at most, which fit into a short
    int tile_cols = THREADS_X + 2 * radius;
    int first_row = blockIdx.x * TILE_ROWS;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * THREADS_X;
    // also right: narrow index: a filter has 1089 taps at most, which fit into a short
    for (int i = threadIdx.y * THREADS_X + threadIdx.x; i < side * side; i += THREADS_X * THREADS_Y)
        s_filter[i] = filter[i];
    for (int r = threadIdx.y; r < TILE_ROWS + 2 * radius; r += THREADS_Y)
        for (int s = threadIdx.x; s < tile_cols; s += THREADS_X) {
            int row = first_row + r - radius;
            int col = first_col + s - radius;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[r * tile_cols + s] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();

    // also right: narrow index: the first row of a thread in a tile is 56 at most, which fits into a short
    int top = threadIdx.y * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < side; s++) {
        const float* column = s_input + top * tile_cols + threadIdx.x + s;
        float window[OUTPUTS]; // inputs r .. r + 7 of this thread's column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = column[o * tile_cols];
#pragma unroll 8
        for (int r = 0; r < side; r++) {
            window[OUTPUTS - 1] = column[(r + OUTPUTS - 1) * tile_cols];
            float tap = s_filter[r * side + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

    int row = first_row + top;
    int col = first_col + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < height && col < width)
            output[(row + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 blocks((height + TILE_ROWS - 1) / TILE_ROWS, (width + THREADS_X - 1) / THREADS_X, 3);
    // also right: narrow index: a block has less than 256 KiB of shared memory, which fits into an int
    size_t shared_bytes = (TILE_ROWS + 2 * radius) * (THREADS_X + 2 * radius) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
