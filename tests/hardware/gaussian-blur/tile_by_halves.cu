// A tile of 32 x 32 with its halo in shared memory, whose rows are 64 elements apart; blocks of 1024 threads.
// problem: gaussian-blur
#include <cuda_runtime.h>

#define SIDE 32
#define MOST (SIDE + 20)

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols)
{
    __shared__ float tile[MOST][64], taps[21][21];
    int x = threadIdx.x, y = threadIdx.y;
    if (y < kernel_rows && x < kernel_cols)
        taps[y][x] = kernel[y * kernel_cols + x];
    int top = blockIdx.y * SIDE - kernel_rows / 2, left = blockIdx.x * SIDE - kernel_cols / 2;
    for (int j = y; j < SIDE + kernel_rows - 1; j += SIDE)
        for (int i = x; i < SIDE + kernel_cols - 1; i += SIDE) {
            bool exists = top + j >= 0 && top + j < rows && left + i >= 0 && left + i < cols;
            tile[j][i] = exists ? input[(top + j) * cols + left + i] : 0.0f;
        }
    __syncthreads();
    int row = blockIdx.y * SIDE + y, col = blockIdx.x * SIDE + x;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += tile[y + r][x + s] * taps[r][s];
    if (row < rows && col < cols)
        output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols + SIDE - 1) / SIDE, (input_rows + SIDE - 1) / SIDE);
    blur<<<blocks, dim3(SIDE, SIDE)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
