// Filters of 3 x 3 and 21 x 21 have unrolled kernels with taps in constant memory; others take loops.
// problem: gaussian-blur
#include <cuda_runtime.h>

__constant__ float c_kernel[21 * 21];

template <int SIZE>
__global__ void blur(const float* input, float* output, int rows, int cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    float sum = 0.0f;
    int up = (SIZE ? SIZE : kernel_rows) / 2, back = (SIZE ? SIZE : kernel_cols) / 2;
    if (SIZE && row >= up && row < rows - up && col >= back && col < cols - back) {
#pragma unroll
        for (int r = 0; r < SIZE; r++)
#pragma unroll
            for (int s = 0; s < SIZE; s++)
                sum += input[(row + r - up) * cols + col + s - back] * c_kernel[r * SIZE + s];
    } else {
        for (int r = max(0, up - row); r < min(kernel_rows, rows + up - row); r++)
            for (int s = max(0, back - col); s < min(kernel_cols, cols + back - col); s++)
                sum += input[(row + r - up) * cols + col + s - back] * c_kernel[r * kernel_cols + s];
    }
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    cudaMemcpyToSymbolAsync(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 threads(64, 4), blocks((input_cols + 63) / 64, (input_rows + 3) / 4);
    auto function = kernel_rows == 3 && kernel_cols == 3     ? blur<3>
                    : kernel_rows == 21 && kernel_cols == 21 ? blur<21>
                                                             : blur<0>;
    function<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
