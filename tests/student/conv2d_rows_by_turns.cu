// expect: Accepted
// problem: conv2d
// Two streams compute the even and the odd rows at the same time: their stores lie between each other's.
#include <cuda_runtime.h>

// Computes each second output row, from first_row on.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_rows, int kernel_cols, int first_row, int output_rows)
{
    int row = first_row + 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
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
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        convolve<<<blocks, threads, 0, streams[i]>>>(input, kernel, output, input_cols, output_cols, kernel_rows,
                                                     kernel_cols, i, output_rows);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
}
