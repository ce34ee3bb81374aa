// Mistake: the halo is never larger than the tile, so taps beyond 16 rows or columns read zeros.
// problem: conv2d
#include <cuda_runtime.h>

#define TILE 16
#define MAX_KERNEL 31

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float s_input[TILE + MAX_KERNEL - 1][TILE + MAX_KERNEL - 1];

    int first_row = blockIdx.y * TILE;
    int first_col = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE + MAX_KERNEL - 1; r += TILE)
        for (int s = threadIdx.x; s < TILE + MAX_KERNEL - 1; s += TILE) {
            bool inside = r < 2 * TILE && s < 2 * TILE && first_row + r < input_rows && first_col + s < input_cols;
            s_input[r][s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
    __syncthreads();

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
