// expect: Accepted
// problem: conv2d-separable
// advice: needless_work
// case: 1
// sketch: __device__ float d_rows[MOST_ELEMENTS]; // the image after the first pass
// sketch: // kernel 1: d_rows[y][x] = sum over s of input[y][x + s] * row_filter[radius + s]
// sketch: // kernel 2: output[y][x] = sum over r of d_rows[y + r][x] * column_filter[radius + r]
// Every output multiplies by the whole square of taps, though the filter is a column times a row.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* row_filter, const float* column_filter, float* output,
                         int width, int height, int radius)
{
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
                sum += input[(row + r) * width + col + s] * (column_filter[radius + r] * row_filter[radius + s]);
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
