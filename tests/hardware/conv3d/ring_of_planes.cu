// A block of 32 x 8 threads marches through the planes, and keeps the last ones in a ring in shared memory.
// problem: conv3d
#include <cuda_runtime.h>

#define X 32
#define Y 8

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    __shared__ float ring[5][Y + 4][X + 4], taps[125];
    int thread = threadIdx.y * X + threadIdx.x;
    if (thread < kernel_depth * kernel_rows * kernel_cols)
        taps[thread] = kernel[thread];
    int left = blockIdx.x * X, top = blockIdx.y * Y;
    int col = left + threadIdx.x, row = top + threadIdx.y;
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    for (int plane = 0; plane < input_depth; plane++) {
        for (int y = threadIdx.y; y < Y + kernel_rows - 1; y += Y)
            for (int x = threadIdx.x; x < X + kernel_cols - 1; x += X)
                if (top + y < input_rows && left + x < input_cols)
                    ring[plane % 5][y][x] = input[(plane * input_rows + top + y) * input_cols + left + x];
        __syncthreads();
        int first = plane - kernel_depth + 1;
        if (first >= 0 && row < output_rows && col < output_cols) {
            float sum = 0.0f;
            for (int d = 0; d < kernel_depth; d++)
                for (int r = 0; r < kernel_rows; r++)
                    for (int s = 0; s < kernel_cols; s++)
                        sum += ring[(first + d) % 5][threadIdx.y + r][threadIdx.x + s] *
                               taps[(d * kernel_rows + r) * kernel_cols + s];
            output[(first * output_rows + row) * output_cols + col] = sum;
        }
        __syncthreads();
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + X) / X, (input_rows - kernel_rows + Y) / Y);
    convolve<<<blocks, dim3(X, Y)>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                     kernel_rows, kernel_cols);
}
