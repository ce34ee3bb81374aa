// problem: gaussian-blur
//
// fixed sizes: shared tile and constant filter, and the sides of square filters are template parameters, so the
// compiler unrolls the inner loop, turns every index into a constant offset and needs no counting: close to one load
// from shared memory and one multiply-add for each tap. Other filters take the same kernel with loops of unknown
// length (SIDE = 0). With a tile of 16 x 32 and R x S taps, R S / 2 * 16 / (16 + R - 1) * 32 / (32 + S - 1)
// operations for each byte of input loaded: 3.8 with 3 x 3, 60 with 21 x 21.
#include <cuda_runtime.h>

#define TILE_ROWS 16
#define TILE_COLS 32
#define MAX_KERNEL 21

__constant__ float c_kernel[MAX_KERNEL * MAX_KERNEL];

template <int SIDE>
__global__ void blur(const float* input, float* output, int input_rows, int input_cols, int any_rows, int any_cols)
{
    __shared__ float s_input[TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_KERNEL - 1];

    const int kernel_rows = SIDE ? SIDE : any_rows;
    const int kernel_cols = SIDE ? SIDE : any_cols;
    // also right: narrow index: no side is longer than 4096, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += TILE_ROWS)
        for (int s = threadIdx.x; s < TILE_COLS + kernel_cols - 1; s += TILE_COLS) {
            int y = first_row + r - kernel_rows / 2;
            int x = first_col + s - kernel_cols / 2;
            bool inside = y >= 0 && y < input_rows && x >= 0 && x < input_cols;
            s_input[r][s] = inside ? input[y * input_cols + x] : 0.0f;
        }
    __syncthreads();

    int row = first_row + threadIdx.y;
    int col = first_col + threadIdx.x;
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
#pragma unroll
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * c_kernel[r * kernel_cols + s];
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    static void (*const kernels[])(const float*, float*, int, int, int, int) = {
        blur<1>, blur<3>, blur<5>, blur<7>, blur<9>, blur<11>, blur<13>, blur<15>, blur<17>, blur<19>, blur<21>,
    };
    auto chosen = kernel_rows == kernel_cols ? kernels[kernel_rows / 2] : blur<0>;
    dim3 threads(TILE_COLS, TILE_ROWS);
    dim3 blocks((input_cols + TILE_COLS - 1) / TILE_COLS, (input_rows + TILE_ROWS - 1) / TILE_ROWS);
    cudaMemcpyToSymbol(c_kernel, kernel, kernel_rows * kernel_cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    chosen<<<blocks, threads>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
