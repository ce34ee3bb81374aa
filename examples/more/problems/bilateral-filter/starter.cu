// problem: bilateral-filter
__global__ void bilateral(const float* image, float* output, int rows, int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col < cols)
        output[row * cols + col] = 0;  // TODO: the weighted mean
}

extern "C" void solve(const float* image, float* output, int rows, int cols, int radius, float sigma_space,
                      float sigma_range)
{
    bilateral<<<dim3((cols + 255) / 256, rows), 256>>>(image, output, rows, cols);
    cudaDeviceSynchronize();
}
