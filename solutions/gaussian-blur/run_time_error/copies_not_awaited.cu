// Mistake: the tile is loaded by asynchronous copies, and no thread waits for its own with __pipeline_wait_prior(0):
// a barrier waits for threads, not for copies.
// on cuda: Accepted, Wrong Answer
// problem: gaussian-blur
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define TILE 32
#define MAX_KERNEL 21

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL * MAX_KERNEL];
    __shared__ float s_input[2 * TILE][2 * TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int index = threadIdx.y * TILE + threadIdx.x;
    if (index < kernel_rows * kernel_cols)
        s_kernel[index] = kernel[index];
#pragma unroll
    for (int quarter = 0; quarter < 4; quarter++) {
        int r = threadIdx.y + quarter / 2 * TILE;
        int s = threadIdx.x + quarter % 2 * TILE;
        int y = blockIdx.y * TILE + r - kernel_rows / 2;
        int x = blockIdx.x * TILE + s - kernel_cols / 2;
        bool needed = r < TILE + kernel_rows - 1 && s < TILE + kernel_cols - 1;
        if (!needed)
            continue;
        if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
            __pipeline_memcpy_async(&s_input[r][s], &input[y * input_cols + x], sizeof(float));
        else
            s_input[r][s] = 0.0f;
    }
    __pipeline_commit();
    __syncthreads();
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * s_kernel[r * kernel_cols + s];
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
