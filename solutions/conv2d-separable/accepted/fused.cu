// problem: conv2d-separable
//
// both passes fused: a block loads a tile of 32 x 32 elements and a halo of r on all sides, filters its rows into a
// second array in shared memory, and that by columns into the output. The image is read from memory and written back
// once; in return, two blocks filter each row of the halo.
// Intensity with T = 32: 2 (2r + 1) (T (T + 2r) + T^2) / (4 ((T + 2r)^2 + T^2)) operations per byte: 6.5 for r = 8.
#include <cuda_runtime.h>

#define TILE 32
#define THREADS_Y 8
#define MAX_TAPS 65

__constant__ float c_row[MAX_TAPS];
__constant__ float c_column[MAX_TAPS];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    extern __shared__ float s_memory[]; // at most 96 x 96 + 96 x 32 floats: 48 KiB
    // also right: narrow index: a tile has 96 rows and columns at most with its halo, which fit into a short
    int side = TILE + 2 * radius;
    float* s_input = s_memory;               // side x side
    float* s_rows = s_memory + side * side;  // side x TILE: filtered along the rows

    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    // also right: `<` to `<=`: the row too many lies where the filtered rows are written after the barrier
    for (int y = threadIdx.y; y < side; y += THREADS_Y)
        for (int x = threadIdx.x; x < side; x += TILE) {
            int row = first_row - radius + y, col = first_col - radius + x;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[y * side + x] = inside ? input[row * width + col] : 0.0f;
        }
    // also right: missing barrier: each warp loads and reads a row of the tile that is its own, and its lanes run
    // together
    __syncthreads();

    for (int y = threadIdx.y; y < side; y += THREADS_Y) {
        float sum = 0.0f;
        for (int s = 0; s <= 2 * radius; s++)
            sum += s_input[y * side + threadIdx.x + s] * c_row[s];
        s_rows[y * TILE + threadIdx.x] = sum;
    }
    __syncthreads();

    int col = first_col + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += THREADS_Y) {
        if (first_row + y >= height || col >= width)
            return;
        float sum = 0.0f;
        for (int r = 0; r <= 2 * radius; r++)
            sum += s_rows[(y + r) * TILE + threadIdx.x] * c_column[r];
        output[(first_row + y) * width + col] = sum;
    }
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    // also right: narrow index: a filter has 260 bytes at most, which fit into an int
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);

    // also right: narrow index: a tile has 96 rows and columns at most with its halo, which fit into a short
    int side = TILE + 2 * radius;
    dim3 threads(TILE, THREADS_Y);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    // also right: narrow index: a block has less than 256 KiB of shared memory, which fits into an int
    size_t shared_bytes = side * (side + TILE) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
