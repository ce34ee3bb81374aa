// Groups of planes go to eight streams, one launch each.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, plane = blockIdx.z;
    if (row >= output_rows || col >= output_cols)
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
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int planes = input_depth - kernel_depth + 1;
    int group = (planes + 7) / 8;
    cudaStream_t streams[8];
    for (int i = 0; i < 8; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    for (int i = 0; i * group < planes; i++) {
        int count = planes - i * group < group ? planes - i * group : group;
        dim3 blocks((output_cols + 31) / 32, (output_rows + 7) / 8, count);
        convolve<<<blocks, dim3(32, 8), 0, streams[i]>>>(input + i * group * input_rows * input_cols, kernel,
                                                         output + i * group * output_rows * output_cols, input_rows,
                                                         input_cols, kernel_depth, kernel_rows, kernel_cols);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        cudaStreamDestroy(streams[i]);
}
