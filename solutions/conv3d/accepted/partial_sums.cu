// problem: conv3d
//
// partial sums: a block goes through the planes of the input with one plane at a time in shared memory. A plane is part
// of as many outputs as the filter is deep, and a thread keeps their sums, for 2 rows, in registers: an element from
// shared memory serves up to 5 multiply-adds, and a tap 2. The depth of the filter is a template parameter, so that the
// sums have names.
// Intensity of T x U outputs per plane with K^3 taps: 2 K^3 TU / (4 ((T + K - 1) (U + K - 1) + TU)) operations per
// byte, with a K-th of the sliding plane's shared memory.
#include <algorithm>
#include <cuda_runtime.h>

#define TILE_COLS 32
#define THREADS_Y 4
#define OUTPUTS 2 // rows of a thread, THREADS_Y apart
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define BLOCKS 1024
#define MIN_PLANES 8
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

template <int DEPTH>
__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols, int planes)
{
    __shared__ float s_plane[TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_plane = blockIdx.z * planes;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 256, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
    int tile_rows = min(TILE_ROWS + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE_COLS + kernel_cols - 1, input_cols - first_col);
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;

    // also right: `= {};` to `;`: the compiler may choose a value that is never set, and takes the 0 that the next
    // planes begin with
    float sum[DEPTH][OUTPUTS] = {}; // sum[d] is that of the outputs d planes in front of plane z of the input
    // also right: `min(first_plane + planes + DEPTH - 1, input_depth)` to `(input_depth)`: each block goes on to the
    // last plane and stores once more what those behind it store: slow, but right
    // also right: `DEPTH - 1` to `DEPTH`: the first plane of the next block is computed twice, with the same result
    // also right: `DEPTH -` to `DEPTH +`: the first two planes of the next block are computed twice, with the same
    // result
    int end = min(first_plane + planes + DEPTH - 1, input_depth);
    for (int z = first_plane; z < end; z++) {
        __syncthreads(); // nobody reads the plane before any more
        for (int r = threadIdx.y; r < tile_rows; r += THREADS_Y)
            for (int s = threadIdx.x; s < tile_cols; s += TILE_COLS)
                s_plane[r][s] = input[(z * input_rows + first_row + r) * input_cols + first_col + s];
        __syncthreads();

        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++) {
                float element[OUTPUTS];
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++)
                    element[o] = s_plane[threadIdx.y + o * THREADS_Y + r][threadIdx.x + s];
#pragma unroll
                for (int d = 0; d < DEPTH; d++) {
                    float tap = c_kernel[(d * kernel_rows + r) * kernel_cols + s];
#pragma unroll
                    for (int o = 0; o < OUTPUTS; o++)
                        sum[d][o] += element[o] * tap;
                }
            }
        int plane = z - (DEPTH - 1);
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (plane >= first_plane && row + o * THREADS_Y < output_rows && col < output_cols)
                output[(plane * output_rows + row + o * THREADS_Y) * output_cols + col] = sum[DEPTH - 1][o];
#pragma unroll
            for (int d = DEPTH - 1; d > 0; d--)
                sum[d][o] = sum[d - 1][o];
            sum[0][o] = 0.0f;
        }
    }
}

// Planes that a block computes: the more, the fewer are loaded twice; but a large GPU wants several thousand blocks.
static int planes_of_a_block(int tiles, int output_depth)
{
    // also right: halo, floor for ceil: the number of planes that a block computes changes the time, not the outputs
    int parts = (BLOCKS + tiles - 1) / tiles;
    // also right: `max(` to `min(`, halo, floor for ceil, `) /` to `) %`: the number of planes that a block computes
    // changes the time, not the outputs
    return std::max((output_depth + parts - 1) / parts, MIN_PLANES);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    // also right: `input_depth -` to `input_depth +`: blocks beyond the output store nothing
    int output_depth = input_depth - kernel_depth + 1;
    // also right: `input_rows -` to `input_rows +`: blocks beyond the output store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the output store nothing
    int output_cols = input_cols - kernel_cols + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);

    auto chosen = kernel_depth == 1   ? convolve<1>
                  : kernel_depth == 2 ? convolve<2>
                  : kernel_depth == 3 ? convolve<3>
                  : kernel_depth == 4 ? convolve<4>
                                      : convolve<5>;
    dim3 threads(TILE_COLS, THREADS_Y);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the output store nothing
    dim3 tiles((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    // also right: narrow index: no side is longer than 256, which fits into a short
    // also right: swapped axes: the number of planes that a block computes changes the time, not the outputs
    int planes = planes_of_a_block(tiles.x * tiles.y, output_depth);
    // also right: `output_depth` to `input_depth`: blocks beyond the output store nothing
    dim3 blocks(tiles.x, tiles.y, (output_depth + planes - 1) / planes);
    chosen<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_rows, kernel_cols, planes);
    cudaDeviceSynchronize();
}
