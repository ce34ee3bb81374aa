// Mistake: does not set the newest sums back to zero, so they go on with those of the outputs before.
// problem: conv3d
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
    int first_plane = blockIdx.z * planes;
    int first_row = blockIdx.y * TILE_ROWS;
    int first_col = blockIdx.x * TILE_COLS;
    int tile_rows = min(TILE_ROWS + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE_COLS + kernel_cols - 1, input_cols - first_col);
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;

    float sum[DEPTH][OUTPUTS] = {}; // sum[d] is that of the outputs d planes in front of plane z of the input
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
        }
    }
}

// Planes that a block computes: the more, the fewer are loaded twice; but a large GPU wants several thousand blocks.
static int planes_of_a_block(int tiles, int output_depth)
{
    int parts = (BLOCKS + tiles - 1) / tiles;
    return std::max((output_depth + parts - 1) / parts, MIN_PLANES);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);

    auto chosen = kernel_depth == 1   ? convolve<1>
                  : kernel_depth == 2 ? convolve<2>
                  : kernel_depth == 3 ? convolve<3>
                  : kernel_depth == 4 ? convolve<4>
                                      : convolve<5>;
    dim3 threads(TILE_COLS, THREADS_Y);
    dim3 tiles((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    int planes = planes_of_a_block(tiles.x * tiles.y, output_depth);
    dim3 blocks(tiles.x, tiles.y, (output_depth + planes - 1) / planes);
    chosen<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_rows, kernel_cols, planes);
    cudaDeviceSynchronize();
}
