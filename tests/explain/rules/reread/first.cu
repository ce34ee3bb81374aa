// expect: Accepted
// problem: gaussian-blur
// advice: reread
// sketch: // HALO = filter size - 1
// sketch: for (int y = threadIdx.y; y < 4 + HALO; y += 4)
// sketch: // the element of input, or 0 outside it
// sketch: __syncthreads(); // then read s_tile instead of input
// Eight outputs in registers; each input is tested for the border and read from global memory again for each column of the
// filter.
#include <cuda_runtime.h>

#define OUTPUTS 8 // of a thread

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < kernel_cols; s++) {
        int x = col + s - kernel_cols / 2;
        if (x < 0 || x >= input_cols)
            continue;
        float window[OUTPUTS]; // inputs r .. r + 7 of column x
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++) {
            int y = row - kernel_rows / 2 + o;
            window[o] = y >= 0 && y < input_rows ? input[y * input_cols + x] : 0.0f;
        }
#pragma unroll 8
        for (int r = 0; r < kernel_rows; r++) {
            int y = row - kernel_rows / 2 + r + OUTPUTS - 1;
            window[OUTPUTS - 1] = y >= 0 && y < input_rows ? input[y * input_cols + x] : 0.0f; // here
            float tap = kernel[r * kernel_cols + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < input_rows)
            output[(row + o) * input_cols + col] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(32, 4);
    dim3 blocks((input_cols + 31) / 32, (input_rows + 4 * OUTPUTS - 1) / (4 * OUTPUTS));
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
