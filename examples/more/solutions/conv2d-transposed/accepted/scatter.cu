// problem: conv2d-transposed
//
// Scatter: one thread for each input adds its copy of the kernel with atomic additions.
__global__ void clear(float* output, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = 0;
}

__global__ void scatter(const float* input, const float* kernel, float* output, int count, int cols, int kernel_rows,
                        int kernel_cols, int stride, int out_cols)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count)
        return;
    const int i = at / cols, j = at % cols;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            atomicAdd(&output[(i * stride + r) * out_cols + j * stride + s], input[at] * kernel[r * kernel_cols + s]);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                      int kernel_cols, int stride)
{
    const int out_rows = (rows - 1) * stride + kernel_rows, out_cols = (cols - 1) * stride + kernel_cols;
    clear<<<(out_rows * out_cols + 255) / 256, 256>>>(output, out_rows * out_cols);
    scatter<<<(rows * cols + 255) / 256, 256>>>(input, kernel, output, rows * cols, cols, kernel_rows, kernel_cols,
                                                stride, out_cols);
    cudaDeviceSynchronize();
}
