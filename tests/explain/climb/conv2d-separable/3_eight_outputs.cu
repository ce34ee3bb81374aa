// expect: Accepted
// problem: conv2d-separable
// advice: several_outputs
// A thread computes 8 outputs. In the pass over the rows they lie 32 columns apart and share each tap; in that over the
// columns they lie below one another, and share inputs in registers, too. Model:
// solutions/conv2d-separable/accepted/several_results.cu, without its tiles
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216
#define OUTPUTS 8 // of a thread

__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

__global__ void convolve_rows(const float* input, const float* row_filter, int width, int height, int radius)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int left = blockIdx.x * blockDim.x * OUTPUTS + threadIdx.x;
    if (row >= height || left >= width)
        return;

    float sum[OUTPUTS] = {0.0f};
    for (int s = -radius; s <= radius; s++) {
        float tap = row_filter[radius + s];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            int col = left + 32 * o + s;
            if (col >= 0 && col < width)
                sum[o] += input[row * width + col] * tap;
        }
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (left + 32 * o < width)
            d_rows[row * width + left + 32 * o] = sum[o];
}

__global__ void convolve_columns(const float* column_filter, float* output, int width, int height, int radius)
{
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (top >= height || col >= width)
        return;

    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // rows r .. r + 7 of this column
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++) {
        int row = top - radius + o;
        window[o] = row >= 0 && row < height ? d_rows[row * width + col] : 0.0f;
    }
#pragma unroll 8
    for (int r = 0; r <= 2 * radius; r++) {
        int row = top - radius + r + OUTPUTS - 1;
        window[OUTPUTS - 1] = row >= 0 && row < height ? d_rows[row * width + col] : 0.0f;
        float tap = column_filter[r];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (top + o < height)
            output[(top + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    dim3 threads(32, 4);
    dim3 row_blocks((width + 32 * OUTPUTS - 1) / (32 * OUTPUTS), (height + 3) / 4);
    dim3 column_blocks((width + 31) / 32, (height + 4 * OUTPUTS - 1) / (4 * OUTPUTS));
    convolve_rows<<<row_blocks, threads>>>(input, row_filter, width, height, radius);
    convolve_columns<<<column_blocks, threads>>>(column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
