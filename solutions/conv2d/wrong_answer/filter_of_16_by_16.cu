// Mistake: one thread loads one tap of the filter, so those beyond the block of 16 x 16 threads stay zero.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[32][32];

    for (int r = threadIdx.y; r < 32; r += 16)
        for (int s = threadIdx.x; s < 32; s += 16)
            s_kernel[r][s] = 0.0f;
    __syncthreads();
    if (threadIdx.y < kernel_rows && threadIdx.x < kernel_cols)
        s_kernel[threadIdx.y][threadIdx.x] = kernel[threadIdx.y * kernel_cols + threadIdx.x];
    __syncthreads();

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * s_kernel[r][s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
