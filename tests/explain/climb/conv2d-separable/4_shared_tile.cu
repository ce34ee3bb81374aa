// expect: Accepted
// problem: conv2d-separable
// advice: reread
// In the pass over the rows a block loads its inputs and their halo, with zeros beyond the border, into shared memory
// once: the loop over the taps needs no test and no load from global memory. Model:
// solutions/conv2d-separable/accepted/several_results.cu
#include <cuda_runtime.h>

#define MAX_PIXELS 16777216
#define MAX_RADIUS 32
#define OUTPUTS 8 // of a thread
#define THREADS_X 32
#define THREADS_Y 4
#define TILE (THREADS_X * OUTPUTS) // columns of a block

__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

__global__ void convolve_rows(const float* input, const float* row_filter, int width, int height, int radius)
{
    __shared__ float s_input[THREADS_Y][TILE + 2 * MAX_RADIUS];

    int row = blockIdx.y * THREADS_Y + threadIdx.y, first = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE + 2 * radius; i += THREADS_X) {
        int col = first - radius + i;
        bool inside = row < height && col >= 0 && col < width;
        s_input[threadIdx.y][i] = inside ? input[row * width + col] : 0.0f;
    }
    __syncthreads();

    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s <= 2 * radius; s++) {
        float tap = row_filter[s];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += s_input[threadIdx.y][threadIdx.x + THREADS_X * o + s] * tap;
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        int col = first + THREADS_X * o + threadIdx.x;
        if (row < height && col < width)
            d_rows[row * width + col] = sum[o];
    }
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
    const int column_tile = THREADS_Y * OUTPUTS;
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 row_blocks((width + TILE - 1) / TILE, (height + THREADS_Y - 1) / THREADS_Y);
    dim3 column_blocks((width + THREADS_X - 1) / THREADS_X, (height + column_tile - 1) / column_tile);
    convolve_rows<<<row_blocks, threads>>>(input, row_filter, width, height, radius);
    convolve_columns<<<column_blocks, threads>>>(column_filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
