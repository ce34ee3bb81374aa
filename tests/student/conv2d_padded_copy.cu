// expect: Accepted
// problem: conv2d
// Copies the image into pitched memory, whose rows all start on a 512-byte boundary, and computes from there.
#include <cuda_runtime.h>

__global__ void conv_pitched(const char* image, size_t pitch, const float* kernel, float* output, int output_rows,
                             int output_cols, int kernel_rows, int kernel_cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++) {
        const float* line = (const float*)(image + (row + r) * pitch) + col;
        for (int s = 0; s < kernel_cols; s++)
            sum += line[s] * kernel[r * kernel_cols + s];
    }
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    size_t width = input_cols * sizeof(float), pitch = 0;
    char* image = nullptr;
    cudaMallocPitch((void**)&image, &pitch, width, input_rows);
    cudaMemset2D(image, pitch, 0, width, input_rows);
    cudaMemcpy2D(image, pitch, input, width, width, input_rows, cudaMemcpyDeviceToDevice);

    dim3 threads(16, 16), blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    conv_pitched<<<blocks, threads>>>(image, pitch, kernel, output, output_rows, output_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
    cudaFree(image);
}
