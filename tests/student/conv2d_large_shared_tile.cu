// expect: Accepted
// problem: conv2d
// A tile of 96 x 96 outputs with its halo takes up to 62 KiB of shared memory: more than 48 KiB must be requested.
#include <cuda_runtime.h>

#define TILE 96

__global__ void conv_large_tile(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                                int kernel_rows, int kernel_cols)
{
    extern __shared__ float shared[];
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int width = TILE + kernel_cols - 1, height = TILE + kernel_rows - 1;
    float* tile = shared;
    float* taps = shared + width * height;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;

    for (int j = thread; j < width * height; j += threads) {
        int r = top + j / width, s = left + j % width;
        tile[j] = (r < input_rows && s < input_cols) ? input[r * input_cols + s] : 0.0f;
    }
    for (int j = thread; j < kernel_rows * kernel_cols; j += threads)
        taps[j] = kernel[j];
    __syncthreads();

    for (int y = threadIdx.y; y < TILE && top + y < output_rows; y += blockDim.y)
        for (int x = threadIdx.x; x < TILE && left + x < output_cols; x += blockDim.x) {
            float sum = 0.0f;
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += tile[(y + r) * width + x + s] * taps[r * kernel_cols + s];
            output[(top + y) * output_cols + left + x] = sum;
        }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    size_t bytes = (TILE + kernel_rows - 1) * (TILE + kernel_cols - 1) + kernel_rows * kernel_cols;
    bytes *= sizeof(float);
    cudaFuncSetAttribute(conv_large_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 * 1024);
    dim3 grid((output_cols + TILE - 1) / TILE, (output_rows + TILE - 1) / TILE);
    conv_large_tile<<<grid, dim3(32, 32), bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                                                     kernel_cols);
    cudaDeviceSynchronize();
}
