// Mistake: no __syncthreads() between loading the shared tile and using it: rows that another warp loads
// may not be there yet.
// on cuda: Accepted, Wrong Answer
// problem: conv2d
#include <cuda_runtime.h>

#define TILE 16

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    extern __shared__ float s_input[]; // tile_rows x tile_cols

    int tile_rows = TILE + kernel_rows - 1;
    int tile_cols = TILE + kernel_cols - 1;
    int first_row = blockIdx.y * TILE;
    int first_col = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < tile_rows; r += TILE)
        for (int s = threadIdx.x; s < tile_cols; s += TILE) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            s_input[r * tile_cols + s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[(threadIdx.y + r) * tile_cols + threadIdx.x + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(TILE, TILE);
    dim3 blocks((output_cols + TILE - 1) / TILE, (output_rows + TILE - 1) / TILE);
    size_t shared_bytes = (TILE + kernel_rows - 1) * (TILE + kernel_cols - 1) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                                                kernel_cols);
    cudaDeviceSynchronize();
}
