// Mistake: one thread of a warp loads one tap, and the first a second one, so taps from the 33rd on stay zero.
// problem: conv2d-separable
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    __shared__ float s_row[65], s_column[65];

    int x = threadIdx.x;
    if (threadIdx.y == 0) {
        s_row[x] = x <= 2 * radius ? row_filter[x] : 0.0f;
        s_column[x] = x <= 2 * radius ? column_filter[x] : 0.0f;
        bool another = x == 0 && 32 <= 2 * radius;
        s_row[32 + x] = another ? row_filter[32] : 0.0f;
        s_column[32 + x] = another ? column_filter[32] : 0.0f;
        if (x == 0)
            s_row[64] = s_column[64] = 0.0f;
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
