// Mistake: the halo is never wider than the tile of 8 x 8, so taps farther away read zeros.
// problem: gaussian-blur
#include <cuda_runtime.h>

#define TILE 8
#define MAX_KERNEL 21

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_input[TILE + MAX_KERNEL - 1][TILE + MAX_KERNEL - 1];

    int first_row = blockIdx.y * TILE;
    int first_col = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE + kernel_rows - 1; r += TILE)
        for (int s = threadIdx.x; s < TILE + kernel_cols - 1; s += TILE) {
            int y = first_row + r - kernel_rows / 2;
            int x = first_col + s - kernel_cols / 2;
            bool loaded = y >= first_row - TILE && y < first_row + 2 * TILE && x >= first_col - TILE &&
                          x < first_col + 2 * TILE;
            bool inside = loaded && y >= 0 && y < input_rows && x >= 0 && x < input_cols;
            s_input[r][s] = inside ? input[y * input_cols + x] : 0.0f;
        }
    __syncthreads();

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * kernel[r * kernel_cols + s];
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
