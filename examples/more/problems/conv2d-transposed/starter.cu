// problem: conv2d-transposed
__global__ void transposed(float* output, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        output[i] = 0;  // TODO: the sum
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols, int kernel_rows,
                      int kernel_cols, int stride)
{
    const int count = ((rows - 1) * stride + kernel_rows) * ((cols - 1) * stride + kernel_cols);
    transposed<<<(count + 255) / 256, 256>>>(output, count);
    cudaDeviceSynchronize();
}
