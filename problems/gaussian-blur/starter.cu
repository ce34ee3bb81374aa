// problem: gaussian-blur
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. All three pointers are device pointers.
#include <cuda_runtime.h>

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    // TODO: add input[row + r - kernel_rows / 2][col + s - kernel_cols / 2] * kernel[r][s] to the sum, for every r below
    // kernel_rows and s below kernel_cols for which that element of the input exists.
    // Both arrays are flat: input[row][col] is input[row * input_cols + col].
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(16, 16);
    dim3 blocks((input_cols + threads.x - 1) / threads.x, (input_rows + threads.y - 1) / threads.y);

    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
