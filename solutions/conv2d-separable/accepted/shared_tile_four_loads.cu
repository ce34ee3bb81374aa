// problem: conv2d-separable
//
// 2D shared tile, four loads per thread: 32 x 32 threads load the four quarters of a tile of 64 x 64 elements, enough
// for 33 x 33 taps; of a larger filter, four pieces are applied one after the other. Still 2 (2r + 1)^2 operations per
// output.
// Intensity up to radius 16, with T = 32: 2 (2r + 1)^2 T^2 / (4 ((2T)^2 + T^2)) = (2r + 1)^2 / 10 operations per byte.
#include <cuda_runtime.h>

#define TILE 32
#define PIECE (TILE + 1) // taps per side that 2 * TILE elements can serve
#define MAX_TAPS 65

__constant__ float c_row[MAX_TAPS];
__constant__ float c_column[MAX_TAPS];

__device__ float element(const float* input, int row, int col, int width, int height)
{
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    return inside ? input[row * width + col] : 0.0f;
}

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_tile[2 * TILE][2 * TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;
    int taps = 2 * radius + 1; // also right: narrow index: a filter has 65 taps at most, which fit into a short
    float sum = 0.0f;
    // also right: `<` to `<=`: one piece more is one without taps, with 33 of them: it adds nothing
    for (int first_r = 0; first_r < taps; first_r += PIECE)
        // also right: `<` to `<=`: one piece more is one without taps, with 33 of them: it adds nothing
        for (int first_s = 0; first_s < taps; first_s += PIECE) {
            int from_row = row - radius + first_r, from_col = col - radius + first_s;
            __syncthreads(); // nobody reads the former piece any more
            s_tile[y][x] = element(input, from_row, from_col, width, height);
            s_tile[y][x + TILE] = element(input, from_row, from_col + TILE, width, height);
            s_tile[y + TILE][x] = element(input, from_row + TILE, from_col, width, height);
            s_tile[y + TILE][x + TILE] = element(input, from_row + TILE, from_col + TILE, width, height);
            __syncthreads();
            int rows = min(PIECE, taps - first_r), cols = min(PIECE, taps - first_s);
            for (int r = 0; r < rows; r++) {
                float row_sum = 0.0f;
                for (int s = 0; s < cols; s++)
                    row_sum += s_tile[y + r][x + s] * c_row[first_s + s];
                sum += row_sum * c_column[first_r + r];
            }
        }
    if (row < height && col < width)
        output[row * width + col] = sum;
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output,
                      int width, int height, int radius)
{
    // also right: narrow index: a filter has 260 bytes at most, which fit into an int
    size_t filter_bytes = (2 * radius + 1) * sizeof(float);
    cudaMemcpyToSymbol(c_row, row_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_column, column_filter, filter_bytes, 0, cudaMemcpyDeviceToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
