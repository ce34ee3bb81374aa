// problem: conv3d
//
// One thread for each output element. As it stands, every output is zero, which is a Wrong Answer:
// replace the line marked TODO. All three pointers are device pointers.
#include <cuda_runtime.h>

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
    // TODO: add input[plane + d][row + r][col + s] * kernel[d][r][s] to the sum, for every d below kernel_depth, r
    // below kernel_rows and s below kernel_cols. Both arrays are flat: input[plane][row][col] is
    // input[(plane * input_rows + row) * input_cols + col].
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(32, 4, 2);
    dim3 blocks((output_cols + threads.x - 1) / threads.x, (output_rows + threads.y - 1) / threads.y,
                (output_depth + threads.z - 1) / threads.z);

    convolve<<<blocks, threads>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                  kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
