// problem: conv2d-transposed
//
// Gather: one thread for each output goes through the taps that reach it.
__global__ void transposed(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                           int kernel_cols, int stride, int out_rows, int out_cols)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0;
    if (x >= out_cols)
        return;
    for (int r = y % stride; r < kernel_rows; r += stride)
        for (int s = x % stride; s < kernel_cols; s += stride) {
            const int i = (y - r) / stride, j = (x - s) / stride;
            if (r <= y && s <= x && i < rows && j < cols)
                sum += input[i * cols + j] * kernel[r * kernel_cols + s];
        }
    output[y * out_cols + x] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                      int kernel_cols, int stride)
{
    const int out_rows = (rows - 1) * stride + kernel_rows, out_cols = (cols - 1) * stride + kernel_cols;
    transposed<<<dim3((out_cols + 255) / 256, out_rows), 256>>>(input, kernel, output, rows, cols, kernel_rows,
                                                                kernel_cols, stride, out_rows, out_cols);
    cudaDeviceSynchronize();
}
