// 528 persistent blocks take tiles of 64 x 16 in turn; a thread has four outputs of a row, 16 columns apart.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols)
{
    __shared__ float tile[16 + 20][64 + 20 + 1], taps[21 * 21];
    int thread = threadIdx.y * 16 + threadIdx.x;
    for (int k = thread; k < kernel_rows * kernel_cols; k += 256)
        taps[k] = kernel[k];
    int across = (cols + 63) / 64, down = (rows + 15) / 16;
    for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
        int top = t / across * 16, left = t % across * 64;
        for (int y = threadIdx.y; y < 16 + kernel_rows - 1; y += 16)
            for (int x = threadIdx.x; x < 64 + kernel_cols - 1; x += 16) {
                int row = top + y - kernel_rows / 2, col = left + x - kernel_cols / 2;
                tile[y][x] = row >= 0 && row < rows && col >= 0 && col < cols ? input[row * cols + col] : 0.0f;
            }
        __syncthreads();
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
#pragma unroll
                for (int o = 0; o < 4; o++)
                    sum[o] += tile[threadIdx.y + r][threadIdx.x + 16 * o + s] * taps[r * kernel_cols + s];
#pragma unroll
        for (int o = 0; o < 4; o++)
            if (top + threadIdx.y < rows && left + threadIdx.x + 16 * o < cols)
                output[(top + threadIdx.y) * cols + left + threadIdx.x + 16 * o] = sum[o];
        __syncthreads();
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    blur<<<528, dim3(16, 16)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
