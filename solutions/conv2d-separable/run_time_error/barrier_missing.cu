// Mistake: a warp of its own loads the filters into shared memory for the others, but no __syncthreads() lets them wait
// for it.
// on cuda: Accepted, Wrong Answer
// problem: conv2d-separable
#include <cuda_runtime.h>

#define COMPUTING_WARPS 8

__device__ void compute(const float* input, const float* s_row, const float* s_column, float* output, int width,
                        int height, int radius)
{
    int row = blockIdx.y * COMPUTING_WARPS + threadIdx.y;
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

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
    __shared__ float s_row[65], s_column[65];

    if (threadIdx.y < COMPUTING_WARPS)
        compute(input, s_row, s_column, output, width, height, radius);
    else
        for (int k = threadIdx.x; k <= 2 * radius; k += 32) {
            s_row[k] = row_filter[k];
            s_column[k] = column_filter[k];
        }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, COMPUTING_WARPS + 1);
    dim3 blocks((width + 31) / 32, (height + COMPUTING_WARPS - 1) / COMPUTING_WARPS);
    convolve<<<blocks, threads>>>(input, row_filter, column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
