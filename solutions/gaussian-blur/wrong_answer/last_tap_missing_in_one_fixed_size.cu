// Mistake: where float4 fit, the last column of 9 x 9 taps is left out.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    bool is_fixed = kernel_rows == 9 && kernel_cols == 9 && input_cols % 4 == 0; // as in a kernel of its own
    int cols = is_fixed ? 8 : kernel_cols;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < cols; s++) {
            int y = row + r - kernel_rows / 2;
            int x = col + s - kernel_cols / 2;
            if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                sum += input[y * input_cols + x] * kernel[r * kernel_cols + s];
        }
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(16, 16);
    dim3 blocks((input_cols + 15) / 16, (input_rows + 15) / 16);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
