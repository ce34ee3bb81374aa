// A warp loads 32 inputs of each row, and lanes get their neighbours' by shuffles; lanes without all taps are idle.
// problem: conv2d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ float taps[31 * 31];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < kernel_rows * kernel_cols; k += 32 * blockDim.y)
        taps[k] = kernel[k];
    __syncthreads();
    int useful = 33 - kernel_cols; // outputs of a warp
    int col = blockIdx.x * useful + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > input_rows - kernel_rows)
        return; // a warp as a whole
    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++) {
        float mine = col < input_cols ? input[(row + r) * input_cols + col] : 0.0f;
        for (int s = 0; s < kernel_cols; s++)
            sum += __shfl_down_sync(0xffffffff, mine, s) * taps[r * kernel_cols + s];
    }
    int output_cols = input_cols - kernel_cols + 1;
    if (threadIdx.x < useful && col < output_cols)
        output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int useful = 33 - kernel_cols;
    dim3 blocks((input_cols - kernel_cols + useful) / useful, (input_rows - kernel_rows + 4) / 4);
    convolve<<<blocks, dim3(32, 4)>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
