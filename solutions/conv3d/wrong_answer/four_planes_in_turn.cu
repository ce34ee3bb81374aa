// Mistake: shared memory holds four planes in turn, so with a filter of five planes the newest overwrites the oldest
// too early.
// problem: conv3d
#include <algorithm>
#include <cuda_runtime.h>

#define TILE_COLS 32
#define TILE_ROWS 8
#define BLOCKS 1024
#define MIN_PLANES 8
#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols, int planes)
{
    __shared__ float s_planes[4][TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int first_plane = blockIdx.z * planes;
    int first_row = blockIdx.y * TILE_ROWS;
    int first_col = blockIdx.x * TILE_COLS;
    int tile_rows = min(TILE_ROWS + kernel_rows - 1, input_rows - first_row);
    int tile_cols = min(TILE_COLS + kernel_cols - 1, input_cols - first_col);
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;

    int end = min(first_plane + planes + kernel_depth - 1, input_depth);
    for (int z = first_plane; z < end; z++) {
        for (int r = threadIdx.y; r < tile_rows; r += TILE_ROWS)
            for (int s = threadIdx.x; s < tile_cols; s += TILE_COLS)
                s_planes[z % 4][r][s] = input[(z * input_rows + first_row + r) * input_cols + first_col + s];
        __syncthreads();

        int plane = z - kernel_depth + 1; // the output whose last plane of input has come
        if (plane >= first_plane && row < output_rows && col < output_cols) {
            float sum = 0.0f;
            const float* tap = c_kernel;
            for (int d = 0; d < kernel_depth; d++) {
                int slot = (plane + d) % 4;
                for (int r = 0; r < kernel_rows; r++)
                    for (int s = 0; s < kernel_cols; s++)
                        sum += s_planes[slot][threadIdx.y + r][threadIdx.x + s] * *tap++;
            }
            output[(plane * output_rows + row) * output_cols + col] = sum;
        }
        __syncthreads(); // nobody reads the oldest plane any more
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

    dim3 threads(TILE_COLS, TILE_ROWS);
    dim3 tiles((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    int planes = planes_of_a_block(tiles.x * tiles.y, output_depth);
    dim3 blocks(tiles.x, tiles.y, (output_depth + planes - 1) / planes);
    convolve<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols, planes);
    cudaDeviceSynchronize();
}
