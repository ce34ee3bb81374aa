// 264 blocks of 256 threads stride over the outputs; sums in double precision, taps in constant memory.
// problem: conv3d
#include <cuda_runtime.h>

__constant__ float c_kernel[125];

__global__ void convolve(const float* input, float* output, int input_rows, int input_cols, int kernel_depth,
                         int kernel_rows, int kernel_cols, int output_rows, int output_cols, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int col = i % output_cols, row = i / output_cols % output_rows, plane = i / output_cols / output_rows;
        double sum = 0.0;
        for (int d = 0; d < kernel_depth; d++)
            for (int r = 0; r < kernel_rows; r++)
                for (int s = 0; s < kernel_cols; s++)
                    sum += (double)input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                           (double)c_kernel[(d * kernel_rows + r) * kernel_cols + s];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int count = (input_depth - kernel_depth + 1) * output_rows * output_cols;
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);
    convolve<<<264, 256>>>(input, output, input_rows, input_cols, kernel_depth, kernel_rows, kernel_cols, output_rows,
                           output_cols, count);
}
