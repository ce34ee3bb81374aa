// Mistake: both passes in one kernel with a barrier between them, but a barrier waits for one block only: the rows of
// the block below may not be filtered yet.
// on cuda: Accepted, Wrong Answer
// problem: conv2d-separable
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216

__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    bool inside = row < height && col < width;

    float sum = 0.0f;
    for (int s = -radius; s <= radius; s++)
        if (inside && col + s >= 0 && col + s < width)
            sum += input[row * width + col + s] * row_filter[radius + s];
    if (inside)
        d_rows[row * width + col] = sum;
    __syncthreads();
    if (!inside)
        return;

    sum = 0.0f;
    for (int r = -radius; r <= radius; r++)
        if (row + r >= 0 && row + r < height)
            sum += d_rows[(row + r) * width + col] * column_filter[radius + r];
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
