// expect: Accepted
// problem: conv2d-separable
// advice: allocations
// case: 1
// sketch: static float* d_scratch; static size_t scratch_bytes; // kept between calls
// The first pass reads a copy of the image, which is taken and given back in each call. cudaFree() waits until the pass is done,
// so the device has nothing to do until the host has launched the second one.
#include <cuda_runtime.h>

#define MAX_RADIUS 32
#define MAX_PIXELS 16777216
#define RESULTS 8
#define ROW_THREADS_X 32
#define ROW_THREADS_Y 4
#define COLUMN_THREADS_X 32
#define COLUMN_THREADS_Y 8
#define ROW_GROUPS (RESULTS + 2)                                   // of 32 columns: the results' and one on each side
#define COLUMN_GROUPS (RESULTS + 2 * MAX_RADIUS / COLUMN_THREADS_Y) // of 8 rows: the results' and four on each side

__constant__ float c_row[2 * MAX_RADIUS + 1];
__constant__ float c_column[2 * MAX_RADIUS + 1];
__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

__global__ void convolve_rows(const float* input, int width, int height, int radius)
{
    __shared__ float s_tile[ROW_THREADS_Y][ROW_GROUPS * ROW_THREADS_X];

    int row = blockIdx.y * ROW_THREADS_Y + threadIdx.y;
    int left = (blockIdx.x * RESULTS - 1) * ROW_THREADS_X + threadIdx.x; // this thread's column in the halo
#pragma unroll
    for (int g = 0; g < ROW_GROUPS; g++) {
        int col = left + g * ROW_THREADS_X;
        bool inside = row < height && col >= 0 && col < width;
        s_tile[threadIdx.y][g * ROW_THREADS_X + threadIdx.x] = inside ? input[row * width + col] : 0.0f;
    }
    __syncthreads();

    float sum[RESULTS] = {0.0f};
    const float* mine = &s_tile[threadIdx.y][ROW_THREADS_X + threadIdx.x];
    for (int s = -radius; s <= radius; s++) {
        float tap = c_row[radius + s];
#pragma unroll
        for (int g = 0; g < RESULTS; g++)
            sum[g] += mine[g * ROW_THREADS_X + s] * tap;
    }
#pragma unroll
    for (int g = 0; g < RESULTS; g++) {
        int col = left + (g + 1) * ROW_THREADS_X;
        if (row < height && col < width)
            d_rows[row * width + col] = sum[g];
    }
}

__global__ void convolve_columns(float* output, int width, int height, int radius)
{
    __shared__ float s_tile[COLUMN_GROUPS * COLUMN_THREADS_Y][COLUMN_THREADS_X];

    int col = blockIdx.x * COLUMN_THREADS_X + threadIdx.x;
    int top = blockIdx.y * RESULTS * COLUMN_THREADS_Y - MAX_RADIUS + threadIdx.y; // this thread's row in the halo
#pragma unroll
    for (int g = 0; g < COLUMN_GROUPS; g++) {
        int row = top + g * COLUMN_THREADS_Y;
        bool inside = row >= 0 && row < height && col < width;
        s_tile[g * COLUMN_THREADS_Y + threadIdx.y][threadIdx.x] = inside ? d_rows[row * width + col] : 0.0f;
    }
    __syncthreads();

    float sum[RESULTS] = {0.0f};
    const float* mine = &s_tile[MAX_RADIUS + threadIdx.y][threadIdx.x];
    for (int r = -radius; r <= radius; r++) {
        float tap = c_column[radius + r];
#pragma unroll
        for (int g = 0; g < RESULTS; g++)
            sum[g] += mine[(g * COLUMN_THREADS_Y + r) * COLUMN_THREADS_X] * tap;
    }
#pragma unroll
    for (int g = 0; g < RESULTS; g++) {
        int row = top + MAX_RADIUS + g * COLUMN_THREADS_Y;
        if (row < height && col < width)
            output[row * width + col] = sum[g];
    }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    float* pixels;
    cudaMalloc(&pixels, (size_t)width * height * sizeof(float)); // here
    cudaMemcpyAsync(pixels, input, (size_t)width * height * sizeof(float), cudaMemcpyDeviceToDevice);
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);

    const int row_tile = RESULTS * ROW_THREADS_X, column_tile = RESULTS * COLUMN_THREADS_Y;
    dim3 row_threads(ROW_THREADS_X, ROW_THREADS_Y), column_threads(COLUMN_THREADS_X, COLUMN_THREADS_Y);
    dim3 row_blocks((width + row_tile - 1) / row_tile, (height + ROW_THREADS_Y - 1) / ROW_THREADS_Y);
    dim3 column_blocks((width + COLUMN_THREADS_X - 1) / COLUMN_THREADS_X, (height + column_tile - 1) / column_tile);
    convolve_rows<<<row_blocks, row_threads>>>(pixels, width, height, radius);
    cudaFree(pixels); // and so the host waits before it launches the second kernel
    convolve_columns<<<column_blocks, column_threads>>>(output, width, height, radius);
    cudaDeviceSynchronize();
}
