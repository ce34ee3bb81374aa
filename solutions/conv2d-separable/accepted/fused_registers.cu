// problem: conv2d-separable
//
// fused, register tiled: both passes in one kernel again, where a thread filters 8 elements of a row at once, and then
// 8 of a column: a window that slides over registers needs one load from shared memory for 8 multiply-adds. For radius
// 8 the loops over the taps are unrolled, and the window rotates within its registers; others count (RADIUS = 0).
// Intensity with T = 64 and 32: 2 (2r + 1) ((64 + 2r) 32 + 64 32) / (4 ((64 + 2r) (32 + 2r) + 64 32)) operations per
// byte, 7.3 for r = 8.
#include <cuda_runtime.h>

#define TILE_COLS 32
#define TILE_ROWS 64
#define THREADS 256
#define WINDOW 8 // results of a thread
#define MAX_TAPS 65

__constant__ float c_row[MAX_TAPS];
__constant__ float c_column[MAX_TAPS];

// sum[i] = sum over k of s_from[(i + k) * stride] * c_filter[k]
template <int RADIUS>
__device__ void slide(float* sum, const float* s_from, int stride, const float* c_filter, int any_radius)
{
    // also right: narrow index: a filter has 65 taps at most, which fit into a short
    const int taps = 2 * (RADIUS ? RADIUS : any_radius) + 1;
    float window[WINDOW];
#pragma unroll
    for (int i = 0; i < WINDOW; i++) {
        window[i] = s_from[i * stride];
        sum[i] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < taps; k++) {
#pragma unroll
        for (int i = 0; i < WINDOW; i++)
            sum[i] += window[i] * c_filter[k];
#pragma unroll
        // also right: `<` to `<=`: what lies behind the array is never used, so that nvcc reads none of it
        // also right: halo: undefined, but of no effect: what lies behind an array in registers is set or read, and
        // nothing that is stored follows from it
        for (int i = 0; i < WINDOW - 1; i++)
            window[i] = window[i + 1];
        if (k + 1 < taps)
            window[WINDOW - 1] = s_from[(WINDOW + k) * stride];
    }
}

// The pitches are odd, so that neighbours down a column lie in other banks, too.
template <int RADIUS>
__global__ void convolve(const float* input, float* output, int width, int height, int any_radius)
{
    extern __shared__ float s_memory[];
    const int radius = RADIUS ? RADIUS : any_radius;
    // also right: narrow index: a tile has 128 rows and 96 columns at most with its halo, which fit into a short
    const int rows = TILE_ROWS + 2 * radius, cols = TILE_COLS + 2 * radius;
    // also right: `cols + 1` to `cols`, `TILE_COLS + 1` to `TILE_COLS`: the spare column only keeps banks of shared
    // memory apart, which changes the time
    const int input_pitch = cols + 1, rows_pitch = TILE_COLS + 1;
    float* s_input = s_memory;                    // rows x input_pitch
    float* s_rows = s_memory + rows * input_pitch; // rows x rows_pitch: filtered along the rows

    int first_row = blockIdx.y * TILE_ROWS, first_col = blockIdx.x * TILE_COLS;
    // also right: `<` to `<=`: the row too many lies where the filtered rows are written after the barrier
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32)
        // also right: `<` to `<=`: the copy goes to the pad behind a row of the tile, which nobody reads
        for (int x = threadIdx.x % 32; x < cols; x += 32) {
            int row = first_row - radius + y, col = first_col - radius + x;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[y * input_pitch + x] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();

    float sum[WINDOW];
    for (int i = threadIdx.x; i < rows * (TILE_COLS / WINDOW); i += THREADS) {
        int y = i % rows, x = i / rows * WINDOW;
        slide<RADIUS>(sum, s_input + y * input_pitch + x, 1, c_row, radius);
#pragma unroll
        for (int j = 0; j < WINDOW; j++)
            s_rows[y * rows_pitch + x + j] = sum[j];
    }
    __syncthreads();

    int x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS * WINDOW; // 8 warps with 8 rows each: the whole tile
    slide<RADIUS>(sum, s_rows + y * rows_pitch + x, rows_pitch, c_column, radius);
#pragma unroll
    for (int j = 0; j < WINDOW; j++)
        if (first_row + y + j < height && first_col + x < width)
            output[(first_row + y + j) * width + first_col + x] = sum[j];
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    // also right: narrow index: a filter has 260 bytes at most, which fit into an int
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);

    auto chosen = radius == 8 ? convolve<8> : convolve<0>;
    // also right: narrow index: a block has less than 256 KiB of shared memory, which fits into an int
    size_t shared_bytes = (TILE_ROWS + 2 * radius) * (TILE_COLS + 2 * radius + 1 + TILE_COLS + 1) * sizeof(float);
    cudaFuncSetAttribute(chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes); // 65 KiB at the most
    dim3 blocks((width + TILE_COLS - 1) / TILE_COLS, (height + TILE_ROWS - 1) / TILE_ROWS);
    // also right: array too short: the last float of the shared memory is the spare column of the last row, which
    // nobody reads or writes
    chosen<<<blocks, THREADS, shared_bytes>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
