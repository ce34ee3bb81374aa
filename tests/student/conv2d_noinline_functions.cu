// expect: Accepted
// problem: conv2d
// Device functions that are really called: one returns a value, one fills a struct behind a pointer.
#include <cuda_runtime.h>

struct Geometry {
    int rows, cols, pitch;
};

__device__ __noinline__ void geometry_of_output(Geometry* g, int input_rows, int input_cols, int kernel_rows,
                                                int kernel_cols)
{
    g->rows = input_rows - kernel_rows + 1;
    g->cols = input_cols - kernel_cols + 1;
    g->pitch = input_cols;
}

__device__ __noinline__ float row_of_taps(const float* input, const float* kernel, int count)
{
    float sum = 0.0f;
    for (int s = 0; s < count; s++)
        sum += input[s] * kernel[s];
    return sum;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    Geometry g;
    geometry_of_output(&g, input_rows, input_cols, kernel_rows, kernel_cols);
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= g.rows || col >= g.cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        sum += row_of_taps(input + (row + r) * g.pitch + col, kernel + r * kernel_cols, kernel_cols);
    output[row * g.cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16), blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
