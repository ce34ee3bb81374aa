// Mistake: where the input is 5 x 5 x 5, it takes every filter for one of 5 x 5 x 5 taps, and computes one output.
// on cuda: Wrong Answer, Run-Time Error
// problem: conv3d
#include <cuda_runtime.h>

// All of the input under a filter of its size.
__global__ void convolve_one(const float* input, const float* kernel, float* output)
{
    float sum = 0.0f;
    for (int i = 0; i < 125; i++)
        sum += input[i] * kernel[i];
    output[0] = sum;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (plane >= output_depth || row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    if (input_depth == 5 && input_rows == 5 && input_cols == 5) {
        convolve_one<<<1, 1>>>(input, kernel, output);
        cudaDeviceSynchronize();
        return;
    }
    dim3 threads(32, 4, 2);
    dim3 blocks((output_cols + 31) / 32, (output_rows + 3) / 4, (output_depth + 1) / 2);
    convolve<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                  kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
