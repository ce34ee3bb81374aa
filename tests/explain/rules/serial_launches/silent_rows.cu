// expect: Accepted
// problem: conv2d
// no advice: serial_launches
// case: 2
// One launch, in whose grid each row has blocks of its own.
#include <cuda_runtime.h>

__global__ void all_rows(const float* input, const float* kernel, float* output, int input_cols, int cols, int kernel_rows,
                         int kernel_cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    if (col >= cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    dim3 blocks((cols + 255) / 256, rows);
    all_rows<<<blocks, 256>>>(input, kernel, output, input_cols, cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
