// A tile of 16 x 16 outputs with its halo, and the taps, in dynamic shared memory.
// problem: conv2d
#include <cuda_runtime.h>

#define SIDE 16

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    extern __shared__ float shared[];
    int width = SIDE + kernel_cols - 1, height = SIDE + kernel_rows - 1;
    float* taps = shared + width * height;
    int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    for (int y = threadIdx.y; y < height; y += SIDE)
        for (int x = threadIdx.x; x < width; x += SIDE)
            if (top + y < input_rows && left + x < input_cols)
                shared[y * width + x] = input[(top + y) * input_cols + left + x];
    for (int k = threadIdx.y * SIDE + threadIdx.x; k < kernel_rows * kernel_cols; k += SIDE * SIDE)
        taps[k] = kernel[k];
    __syncthreads();
    int row = top + threadIdx.y, col = left + threadIdx.x;
    int output_cols = input_cols - kernel_cols + 1;
    if (row > input_rows - kernel_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += shared[(threadIdx.y + r) * width + threadIdx.x + s] * taps[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + SIDE) / SIDE, (input_rows - kernel_rows + SIDE) / SIDE);
    size_t floats = (SIDE + kernel_cols - 1) * (SIDE + kernel_rows - 1) + kernel_rows * kernel_cols;
    convolve<<<blocks, dim3(SIDE, SIDE), floats * sizeof(float)>>>(input, kernel, output, input_rows, input_cols,
                                                                   kernel_rows, kernel_cols);
}
