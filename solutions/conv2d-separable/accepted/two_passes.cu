// problem: conv2d-separable
//
// two passes, without bank conflicts: the same again, with the tile of the second pass kept row by row: the 32 threads
// of a warp read 32 floats that lie side by side, one from each bank.
// Intensity of a pass with T outputs in its direction: 2 (2r + 1) T / (4 (2T + 2r)), close to (2r + 1) / 4 operations
// per byte; the image after the first pass is written to memory and read back.
#include <cuda_runtime.h>

#define MAX_RADIUS 32
#define MAX_PIXELS 16777216
#define THREADS_X 32
#define THREADS_Y 8
#define ROW_OUTPUTS 4 // of a thread, 32 columns apart
#define COLUMN_OUTPUTS 8 // of a thread, 8 rows apart
#define ROW_TILE (THREADS_X * ROW_OUTPUTS)
#define COLUMN_TILE (THREADS_Y * COLUMN_OUTPUTS)

__constant__ float c_row[2 * MAX_RADIUS + 1];
__constant__ float c_column[2 * MAX_RADIUS + 1];
__device__ float d_rows[MAX_PIXELS]; // the image after the first pass

// d_rows[row][col] = sum over s of input[row][col + s] * row_filter[radius + s]
__global__ void convolve_rows(const float* input, int width, int height, int radius)
{
    __shared__ float s_tile[THREADS_Y][ROW_TILE + 2 * MAX_RADIUS];

    int row = blockIdx.y * THREADS_Y + threadIdx.y;
    int first_col = blockIdx.x * ROW_TILE;
    for (int j = threadIdx.x; j < ROW_TILE + 2 * radius; j += THREADS_X) {
        int col = first_col - radius + j;
        bool inside = row < height && col >= 0 && col < width;
        s_tile[threadIdx.y][j] = inside ? input[row * width + col] : 0.0f;
    }
    // also right: missing barrier: each warp loads and reads a row of the tile that is its own, and its lanes run
    // together
    __syncthreads();

    for (int j = threadIdx.x; j < ROW_TILE; j += THREADS_X) {
        if (row >= height || first_col + j >= width)
            return;
        float sum = 0.0f;
        for (int s = 0; s <= 2 * radius; s++)
            sum += s_tile[threadIdx.y][j + s] * c_row[s];
        d_rows[row * width + first_col + j] = sum;
    }
}

// output[row][col] = sum over r of d_rows[row + r][col] * column_filter[radius + r]
__global__ void convolve_columns(float* output, int width, int height, int radius)
{
    __shared__ float s_tile[COLUMN_TILE + 2 * MAX_RADIUS][THREADS_X]; // row by row: a row is one float of each bank

    int first_row = blockIdx.y * COLUMN_TILE;
    int col = blockIdx.x * THREADS_X + threadIdx.x;
    for (int j = threadIdx.y; j < COLUMN_TILE + 2 * radius; j += THREADS_Y) {
        int row = first_row - radius + j;
        // also right: `<` to `<=`: the thread behind the last column loads what no other reads; it exists only where 32
        // does not divide the width, and there d_rows has more elements than the image
        bool inside = row >= 0 && row < height && col < width;
        s_tile[j][threadIdx.x] = inside ? d_rows[row * width + col] : 0.0f;
    }
    __syncthreads();

    for (int j = threadIdx.y; j < COLUMN_TILE; j += THREADS_Y) {
        if (first_row + j >= height || col >= width)
            return;
        float sum = 0.0f;
        for (int r = 0; r <= 2 * radius; r++)
            sum += s_tile[j + r][threadIdx.x] * c_column[r];
        output[(first_row + j) * width + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    // also right: narrow index: a filter has 260 bytes at most, which fit into an int
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);

    dim3 threads(THREADS_X, THREADS_Y);
    dim3 row_blocks((width + ROW_TILE - 1) / ROW_TILE, (height + THREADS_Y - 1) / THREADS_Y);
    dim3 column_blocks((width + THREADS_X - 1) / THREADS_X, (height + COLUMN_TILE - 1) / COLUMN_TILE);
    convolve_rows<<<row_blocks, threads>>>(input, width, height, radius);
    convolve_columns<<<column_blocks, threads>>>(output, width, height, radius);
    cudaDeviceSynchronize();
}
