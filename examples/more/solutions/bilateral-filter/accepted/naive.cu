// problem: bilateral-filter
//
// One thread for each pixel: each pixel of the window is read from global memory.
__global__ void bilateral(const float* image, float* output, int rows, int cols, int radius, float space, float range)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= cols)
        return;
    const float centre = image[row * cols + col];
    float weights = 0, sum = 0;
    for (int r = max(row - radius, 0); r <= min(row + radius, rows - 1); r++)
        for (int s = max(col - radius, 0); s <= min(col + radius, cols - 1); s++) {
            const float x = image[r * cols + s], difference = x - centre;
            const int distance = (r - row) * (r - row) + (s - col) * (s - col);
            const float w = expf(-distance * space - difference * difference * range);
            weights += w;
            sum += w * x;
        }
    output[row * cols + col] = sum / weights;
}

extern "C" void solve(const float* image, float* output, int rows, int cols, int radius, float sigma_space,
                      float sigma_range)
{
    bilateral<<<dim3((cols + 255) / 256, rows), 256>>>(image, output, rows, cols, radius,
                                                       1 / (2 * sigma_space * sigma_space),
                                                       1 / (2 * sigma_range * sigma_range));
    cudaDeviceSynchronize();
}
