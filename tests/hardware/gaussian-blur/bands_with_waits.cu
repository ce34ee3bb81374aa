// The host waits after each of sixteen bands of rows.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols, int first, int end)
{
    int row = first + blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= end || col >= cols)
        return;
    int up = kernel_rows / 2, back = kernel_cols / 2;
    float sum = 0.0f;
    for (int r = max(0, up - row); r < min(kernel_rows, rows + up - row); r++)
        for (int s = max(0, back - col); s < min(kernel_cols, cols + back - col); s++)
            sum += input[(row + r - up) * cols + col + s - back] * kernel[r * kernel_cols + s];
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int band = (input_rows + 15) / 16;
    for (int first = 0; first < input_rows; first += band) {
        int end = first + band < input_rows ? first + band : input_rows;
        dim3 blocks((input_cols + 31) / 32, (end - first + 7) / 8);
        blur<<<blocks, dim3(32, 8)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols, first,
                                      end);
        cudaDeviceSynchronize();
    }
}
