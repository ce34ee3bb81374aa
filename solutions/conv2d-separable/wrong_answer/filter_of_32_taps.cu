// Mistake: each thread of the first warp loads one tap of each filter; taps from the 33rd on stay zero.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    __shared__ float s_row[65], s_column[65];

    int k = threadIdx.y * blockDim.x + threadIdx.x;
    if (k <= 2 * radius) {
        s_row[k] = threadIdx.y == 0 ? row_filter[k] : 0.0f;
        s_column[k] = threadIdx.y == 0 ? column_filter[k] : 0.0f;
    }
    __syncthreads();

    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum = 0.0f;
    for (int r = -radius; r <= radius; r++) {
        if (row + r < 0 || row + r >= height)
            continue;
        for (int s = -radius; s <= radius; s++)
            if (col + s >= 0 && col + s < width)
                sum += input[(row + r) * width + col + s] * (s_column[radius + r] * s_row[radius + s]);
    }
    output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    convolve<<<blocks, threads>>>(input, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
