// Each thread multiplies its input by all taps, and adds the products to a tile of sums in shared memory by atomics.
// problem: conv2d
#include <cuda_runtime.h>

#define X 32
#define Y 8

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float sums[(Y + 30) * (X + 30)];
    int width = X + kernel_cols - 1, height = Y + kernel_rows - 1, thread = threadIdx.y * X + threadIdx.x;
    for (int j = thread; j < width * height; j += X * Y)
        sums[j] = 0.0f;
    __syncthreads();
    int row = blockIdx.y * Y + threadIdx.y, col = blockIdx.x * X + threadIdx.x;
    if (row < input_rows && col < input_cols) {
        float value = input[row * input_cols + col];
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                atomicAdd(&sums[(threadIdx.y + kernel_rows - 1 - r) * width + threadIdx.x + kernel_cols - 1 - s],
                          value * kernel[r * kernel_cols + s]);
    }
    __syncthreads();
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    for (int j = thread; j < width * height; j += X * Y) {
        int y = (int)blockIdx.y * Y - (kernel_rows - 1) + j / width,
            x = (int)blockIdx.x * X - (kernel_cols - 1) + j % width;
        if (y >= 0 && y < output_rows && x >= 0 && x < output_cols)
            atomicAdd(&output[y * output_cols + x], sums[j]);
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    size_t outputs = (size_t)(input_rows - kernel_rows + 1) * (input_cols - kernel_cols + 1);
    cudaMemsetAsync(output, 0, outputs * sizeof(float));
    dim3 blocks((input_cols + X - 1) / X, (input_rows + Y - 1) / Y);
    convolve<<<blocks, dim3(X, Y)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
