// Persistent blocks take tiles of 32 x 32 outputs from an atomic counter, and compute four outputs with each thread.
// problem: conv2d
#include <cuda_runtime.h>

#define SIDE 32
#define MOST (SIDE + 30)

__device__ unsigned next_tile;

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float tile[MOST][MOST + 1], taps[31 * 31];
    __shared__ unsigned current;
    int thread = threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < kernel_rows * kernel_cols; k += 256)
        taps[k] = kernel[k];
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    unsigned across = (output_cols + SIDE - 1) / SIDE, down = (output_rows + SIDE - 1) / SIDE;
    for (;;) {
        if (thread == 0)
            current = atomicAdd(&next_tile, 1u);
        __syncthreads();
        if (current >= across * down)
            break;
        int top = current / across * SIDE, left = current % across * SIDE;
        for (int y = threadIdx.y; y < SIDE + kernel_rows - 1 && top + y < input_rows; y += 8)
            for (int x = threadIdx.x; x < SIDE + kernel_cols - 1 && left + x < input_cols; x += 32)
                tile[y][x] = input[(top + y) * input_cols + left + x];
        __syncthreads();
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++) {
                float tap = taps[r * kernel_cols + s];
#pragma unroll
                for (int o = 0; o < 4; o++)
                    if (top + threadIdx.y + 8 * o < output_rows && left + threadIdx.x < output_cols)
                        sum[o] += tile[threadIdx.y + 8 * o + r][threadIdx.x + s] * tap;
            }
#pragma unroll
        for (int o = 0; o < 4; o++)
            if (top + threadIdx.y + 8 * o < output_rows && left + threadIdx.x < output_cols)
                output[(top + threadIdx.y + 8 * o) * output_cols + left + threadIdx.x] = sum[o];
        __syncthreads();
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    void* counter;
    cudaGetSymbolAddress(&counter, next_tile);
    cudaMemsetAsync(counter, 0, sizeof(unsigned));
    convolve<<<132 * 4, dim3(32, 8)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
