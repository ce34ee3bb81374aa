// A box of 16 x 8 x 4 outputs with its halo lies in shared memory, filled by all threads in the order of memory.
// problem: conv3d
#include <cuda_runtime.h>

#define X 16
#define Y 8
#define Z 4

__global__ void convolve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                         int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    __shared__ float box[(Z + 4) * (Y + 4) * (X + 4)];
    int width = X + kernel_cols - 1, height = Y + kernel_rows - 1, depth = Z + kernel_depth - 1;
    int left = blockIdx.x * X, top = blockIdx.y * Y, front = blockIdx.z * Z;
    int thread = (threadIdx.z * Y + threadIdx.y) * X + threadIdx.x;
    for (int j = thread; j < width * height * depth; j += X * Y * Z) {
        int col = left + j % width, row = top + j / width % height, plane = front + j / width / height;
        if (col < input_cols && row < input_rows && plane < input_depth)
            box[j] = input[(plane * input_rows + row) * input_cols + col];
    }
    __syncthreads();
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int col = left + threadIdx.x, row = top + threadIdx.y, plane = front + threadIdx.z;
    if (col >= output_cols || row >= output_rows || plane > input_depth - kernel_depth)
        return;
    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += box[((threadIdx.z + d) * height + threadIdx.y + r) * width + threadIdx.x + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols - kernel_cols + X) / X, (input_rows - kernel_rows + Y) / Y,
                (input_depth - kernel_depth + Z) / Z);
    convolve<<<blocks, dim3(X, Y, Z)>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth,
                                        kernel_rows, kernel_cols);
}
