// Mistake: rows of the filter are padded with zeros to a multiple of 4 taps, but the columns of the tile under them are
// not loaded: zero times a value is zero only if that is neither NaN nor infinite.
// on cuda: Accepted, Wrong Answer
// problem: gaussian-blur
#include <cuda_runtime.h>

#define TILE 32
#define MAX_KERNEL 21
#define MAX_STEP 24

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL * MAX_STEP];
    __shared__ float s_input[2 * TILE][2 * TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int index = threadIdx.y * TILE + threadIdx.x;
    int step = (kernel_cols + 3) / 4 * 4;
    if (index < kernel_rows * step)
        s_kernel[index] = index % step < kernel_cols ? kernel[index / step * kernel_cols + index % step] : 0.0f;
#pragma unroll
    for (int quarter = 0; quarter < 4; quarter++) {
        int r = threadIdx.y + quarter / 2 * TILE;
        int s = threadIdx.x + quarter % 2 * TILE;
        int y = blockIdx.y * TILE + r - kernel_rows / 2;
        int x = blockIdx.x * TILE + s - kernel_cols / 2;
        bool needed = r < TILE + kernel_rows - 1 && s < TILE + kernel_cols - 1;
        if (needed)
            s_input[r][s] = y >= 0 && y < input_rows && x >= 0 && x < input_cols ? input[y * input_cols + x] : 0.0f;
    }
    __syncthreads();
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < step; s += 4)
#pragma unroll
            for (int i = s; i < s + 4; i++)
                sum += s_input[threadIdx.y + r][threadIdx.x + i] * s_kernel[r * step + i];
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
