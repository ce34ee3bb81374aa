// problem: conv2d-separable
//
// A rival: two passes as NVIDIA's sample convolutionSeparable makes them, written anew from its description (Podlozhnyuk, "Image
// Convolution with CUDA", 2007, and the sizes of the sample in the CUDA toolkit). Blocks of 16 x 4 threads for rows and of
// 16 x 8 for columns; each thread loads and computes 8 elements, one block's width apart, besides the halo, whose steps are as wide as
// the block; filters in constant memory; radii known to the compiler, for those that are timed. Unlike the sample it takes any
// size of image and does not flip its filters.
#include <cuda_runtime.h>

#define MAX_RADIUS 32
#define MAX_PIXELS 16777216
#define RESULTS 8 // of a thread, in each pass
#define ROWS_X 16
#define ROWS_Y 4
#define COLUMNS_X 16
#define COLUMNS_Y 8

__constant__ float c_row[2 * MAX_RADIUS + 1];
__constant__ float c_column[2 * MAX_RADIUS + 1];
__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

// `RADIUS` 0: any up to MAX_RADIUS, as `given` says.
template <int RADIUS> __global__ void convolve_rows(const float* input, int width, int height, int given)
{
    const int radius = RADIUS > 0 ? RADIUS : given;
    const int HALO = ((RADIUS > 0 ? RADIUS : MAX_RADIUS) + ROWS_X - 1) / ROWS_X; // steps
    __shared__ float s_tile[ROWS_Y][(RESULTS + 2 * HALO) * ROWS_X];

    const int row = blockIdx.y * ROWS_Y + threadIdx.y;
    const int first = (blockIdx.x * RESULTS - HALO) * ROWS_X + threadIdx.x;
    const bool is_row = row < height;
#pragma unroll
    for (int i = 0; i < RESULTS + 2 * HALO; i++) {
        const int col = first + i * ROWS_X;
        s_tile[threadIdx.y][threadIdx.x + i * ROWS_X] = is_row && col >= 0 && col < width ? input[row * width + col] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int s = -radius; s <= radius; s++)
            sum += c_row[radius + s] * s_tile[threadIdx.y][threadIdx.x + i * ROWS_X + s];
        if (is_row && first + i * ROWS_X < width)
            d_rows[row * width + first + i * ROWS_X] = sum;
    }
}

template <int RADIUS> __global__ void convolve_columns(float* output, int width, int height, int given)
{
    const int radius = RADIUS > 0 ? RADIUS : given;
    const int HALO = ((RADIUS > 0 ? RADIUS : MAX_RADIUS) + COLUMNS_Y - 1) / COLUMNS_Y; // steps
    __shared__ float s_tile[COLUMNS_X][(RESULTS + 2 * HALO) * COLUMNS_Y + 1]; // transposed; the 1 avoids bank conflicts

    const int col = blockIdx.x * COLUMNS_X + threadIdx.x;
    const int first = (blockIdx.y * RESULTS - HALO) * COLUMNS_Y + threadIdx.y;
    const bool is_col = col < width;
#pragma unroll
    for (int i = 0; i < RESULTS + 2 * HALO; i++) {
        const int row = first + i * COLUMNS_Y;
        s_tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = is_col && row >= 0 && row < height ? d_rows[row * width + col] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int r = -radius; r <= radius; r++)
            sum += c_column[radius + r] * s_tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y + r];
        if (is_col && first + i * COLUMNS_Y < height)
            output[(first + i * COLUMNS_Y) * width + col] = sum;
    }
}

template <int RADIUS> static void convolve(const float* input, float* output, int width, int height, int radius)
{
    dim3 rows((width + RESULTS * ROWS_X - 1) / (RESULTS * ROWS_X), (height + ROWS_Y - 1) / ROWS_Y);
    dim3 columns((width + COLUMNS_X - 1) / COLUMNS_X, (height + RESULTS * COLUMNS_Y - 1) / (RESULTS * COLUMNS_Y));
    convolve_rows<RADIUS><<<rows, dim3(ROWS_X, ROWS_Y)>>>(input, width, height, radius);
    convolve_columns<RADIUS><<<columns, dim3(COLUMNS_X, COLUMNS_Y)>>>(output, width, height, radius);
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width, int height, int radius)
{
    const size_t bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbolAsync(c_row, row_filter, bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbolAsync(c_column, column_filter, bytes, 0, cudaMemcpyDeviceToDevice);
    if (radius == 8)
        convolve<8>(input, output, width, height, radius);
    else if (radius == 32)
        convolve<32>(input, output, width, height, radius);
    else
        convolve<0>(input, output, width, height, radius);
}
