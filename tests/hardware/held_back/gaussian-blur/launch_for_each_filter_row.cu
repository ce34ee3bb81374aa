// A launch for each row of the filter adds to the output; each has its grid-stride loop in 264 blocks.
// problem: gaussian-blur
#include <cuda_runtime.h>

__global__ void add_row(const float* input, const float* taps, float* output, int rows, int cols, int kernel_cols,
                        int shift, bool begins)
{
    int back = kernel_cols / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += gridDim.x * blockDim.x) {
        int row = i / cols + shift, col = i % cols;
        float sum = begins ? 0.0f : output[i];
        if (row >= 0 && row < rows)
            for (int s = max(0, back - col); s < min(kernel_cols, cols + back - col); s++)
                sum += input[row * cols + col + s - back] * taps[s];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    for (int r = 0; r < kernel_rows; r++)
        add_row<<<264, 512>>>(input, kernel + r * kernel_cols, output, input_rows, input_cols, kernel_cols,
                              r - kernel_rows / 2, r == 0);
    cudaDeviceSynchronize();
}
