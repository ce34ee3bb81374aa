// expect: Accepted
// problem: conv2d
// Two streams compute the upper and the lower rows at the same time. The row in the middle is computed by both, alike.
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    int row = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= end_row || col >= output_cols)
        return;
    float sum = adds ? output[row * output_cols + col] : 0.0f;
    for (int r = first_tap; r < end_tap; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    int middle = output_rows / 2;
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        convolve<<<blocks, threads, 0, streams[i]>>>(input, kernel, output, input_cols, output_cols, kernel_cols,
                                                     i == 0 ? 0 : middle, i == 0 ? middle + 1 : output_rows, 0,
                                                     kernel_rows, false);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
}
