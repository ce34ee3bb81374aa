// Mistake: with equal taps each thread keeps a running sum over its 256 rows in float, whose rounding errors pile up.
// problem: gaussian-blur
#include <cuda_runtime.h>

#define RUN 256

__device__ float row_sum(const float* input, int y, int x, int rows, int cols, int taps)
{
    float sum = 0.0f;
    for (int s = max(0, x - taps / 2); s <= min(cols - 1, x + taps / 2) && y >= 0 && y < rows; s++)
        sum += input[y * cols + s];
    return sum;
}

__global__ void box(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                    int kernel_cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * RUN;
    if (x >= cols)
        return;
    float sum = 0.0f;
    for (int r = -(kernel_rows / 2); r <= kernel_rows / 2; r++)
        sum += row_sum(input, first + r, x, rows, cols, kernel_cols);
    for (int y = first; y < min(first + RUN, rows); y++) {
        output[y * cols + x] = sum * kernel[0];
        sum += row_sum(input, y + kernel_rows / 2 + 1, x, rows, cols, kernel_cols) -
               row_sum(input, y - kernel_rows / 2, x, rows, cols, kernel_cols);
    }
}

__global__ void blur(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                     int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - kernel_rows / 2, x = col + s - kernel_cols / 2;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += input[y * cols + x] * kernel[r * kernel_cols + s];
        }
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    static float h_kernel[21 * 21];
    cudaMemcpy(h_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), cudaMemcpyDeviceToHost);
    bool is_box = true;
    for (int k = 1; k < kernel_rows * kernel_cols; k++)
        is_box = is_box && h_kernel[k] == h_kernel[0];
    if (is_box)
        box<<<dim3((input_cols + 31) / 32, (input_rows + RUN - 1) / RUN), 32>>>(input, kernel, output, input_rows,
                                                                                input_cols, kernel_rows, kernel_cols);
    else
        blur<<<dim3((input_cols + 15) / 16, (input_rows + 15) / 16), dim3(16, 16)>>>(
            input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
