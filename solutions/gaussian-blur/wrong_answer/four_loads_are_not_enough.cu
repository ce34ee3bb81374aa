// Mistake: 16 x 16 threads load four elements each, 1024 in all; with more than 17 x 17 taps the tile and its halo are
// larger, and the rest stays zero.
// problem: gaussian-blur
#include <cuda_runtime.h>

#define TILE 16
#define MAX_KERNEL 21

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_input[(TILE + MAX_KERNEL - 1) * (TILE + MAX_KERNEL - 1)];

    int tile_rows = TILE + kernel_rows - 1;
    int tile_cols = TILE + kernel_cols - 1;
    int first_row = blockIdx.y * TILE;
    int first_col = blockIdx.x * TILE;
    int thread = threadIdx.y * TILE + threadIdx.x;
    for (int i = thread; i < tile_rows * tile_cols; i += TILE * TILE)
        s_input[i] = 0.0f;
    for (int load = 0; load < 4; load++) {
        int i = load * TILE * TILE + thread;
        int y = first_row + i / tile_cols - kernel_rows / 2;
        int x = first_col + i % tile_cols - kernel_cols / 2;
        if (i < tile_rows * tile_cols && y >= 0 && y < input_rows && x >= 0 && x < input_cols)
            s_input[i] = input[y * input_cols + x];
    }
    __syncthreads();

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[(threadIdx.y + r) * tile_cols + threadIdx.x + s] * kernel[r * kernel_cols + s];
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((input_cols + TILE - 1) / TILE, (input_rows + TILE - 1) / TILE);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
