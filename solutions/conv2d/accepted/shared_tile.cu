// problem: conv2d
//
// shared tile: a block of 16 x 16 threads loads the input that it needs once, together, into shared memory: 16 x 16
// elements and a halo of kernel_rows - 1 rows below and kernel_cols - 1 columns to the right.
// With 15 x 15 taps that is 3.5 loads from global memory for each output instead of 225.
// Intensity with R x S taps and a tile of 16 x 16: R S / 2 * 16 / (16 + R - 1) * 16 / (16 + S - 1) operations per byte
// of input, 32 with 15 x 15 taps and 3.6 with 3 x 3.
#include <cuda_runtime.h>

#define TILE 16

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    extern __shared__ float s_input[]; // tile_rows x tile_cols

    int tile_rows = TILE + kernel_rows - 1;
    int tile_cols = TILE + kernel_cols - 1;
    int first_row = blockIdx.y * TILE; // also right: narrow index: there are 4096 rows at most, which fit into a short
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int first_col = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < tile_rows; r += TILE)
        for (int s = threadIdx.x; s < tile_cols; s += TILE) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            // also right: `: 0.0f` to `: 1`: what lies beyond the input belongs to outputs that are not stored
            s_input[r * tile_cols + s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
    __syncthreads();

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[(threadIdx.y + r) * tile_cols + threadIdx.x + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row or column store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last row or column store nothing
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(TILE, TILE);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the last row or column
    // store nothing
    dim3 blocks((output_cols + TILE - 1) / TILE, (output_rows + TILE - 1) / TILE);
    // also right: narrow index: as many bytes of shared memory fit into an int
    // also right: `kernel_rows - 1` to `kernel_rows`, `kernel_rows -` to `kernel_rows +`, `kernel_cols - 1` to `kernel_cols`, `kernel_cols -` to `kernel_cols +`: this
    // is more shared memory than needed, and still less than 48 KiB
    size_t shared_bytes = (TILE + kernel_rows - 1) * (TILE + kernel_cols - 1) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                                                kernel_cols);
    cudaDeviceSynchronize();
}
