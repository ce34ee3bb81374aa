// Mistake: copies the filter to constant memory only if a size differs from the last call's.
// problem: gaussian-blur
#include <cuda_runtime.h>

__constant__ float c_kernel[21 * 21];

__global__ void blur(const float* input, float* output, int input_rows, int input_cols, int kernel_rows,
                     int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++) {
            int y = row + r - kernel_rows / 2;
            int x = col + s - kernel_cols / 2;
            if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                sum += input[y * input_cols + x] * c_kernel[r * kernel_cols + s];
        }
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    static int last_input_rows = 0, last_input_cols = 0, last_kernel_rows = 0, last_kernel_cols = 0;
    if (input_rows != last_input_rows || input_cols != last_input_cols || kernel_rows != last_kernel_rows ||
        kernel_cols != last_kernel_cols)
        cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    last_input_rows = input_rows;
    last_input_cols = input_cols;
    last_kernel_rows = kernel_rows;
    last_kernel_cols = kernel_cols;

    dim3 threads(16, 16);
    dim3 blocks((input_cols + 15) / 16, (input_rows + 15) / 16);
    blur<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
