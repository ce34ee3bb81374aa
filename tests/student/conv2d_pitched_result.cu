// expect: Accepted
// problem: conv2d
// Computes into pitched memory, and copies the rows to the output without their padding.
#include <cuda_runtime.h>

__global__ void conv_pitched(const float* input, const float* kernel, char* result, size_t pitch, int output_rows,
                             int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * (output_cols + kernel_cols - 1) + col + s] * kernel[r * kernel_cols + s];
    ((float*)(result + row * pitch))[col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    size_t width = output_cols * sizeof(float), pitch = 0;
    char* result = nullptr;
    cudaMallocPitch((void**)&result, &pitch, width, output_rows);
    dim3 threads(16, 16), blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    conv_pitched<<<blocks, threads>>>(input, kernel, result, pitch, output_rows, output_cols, kernel_rows, kernel_cols);
    cudaMemcpy2D(output, width, result, pitch, width, output_rows, cudaMemcpyDeviceToDevice);
    cudaFree(result);
}
