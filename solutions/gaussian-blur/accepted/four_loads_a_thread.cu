// problem: gaussian-blur
//
// shared tile, four loads per thread: 32 x 32 outputs need up to 52 x 52 inputs, which lie in a tile of 64 x 64. A
// thread loads one element in each quarter of the tile, as far as it is needed, and then computes one output.
// With T = 32 and R x S taps, R S / 2 * T / (T + R - 1) * T / (T + S - 1) operations for each byte of input loaded: 4
// with 3 x 3, 84 with 21 x 21. A warp is a row of 32 outputs, so its loads from shared memory meet 32 different banks.
#include <cuda_runtime.h>

#define TILE 32
#define MAX_KERNEL 21

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL * MAX_KERNEL];
    // also right: array too short: a tile has 52 rows and columns at most with its halo
    __shared__ float s_input[2 * TILE][2 * TILE];

    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int row = blockIdx.y * TILE + threadIdx.y;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int col = blockIdx.x * TILE + threadIdx.x;
    // also right: narrow index: a thread's place in its block is below 1,024, which fits into a short
    int index = threadIdx.y * TILE + threadIdx.x;
    if (index < kernel_rows * kernel_cols)
        s_kernel[index] = kernel[index];
#pragma unroll
    // also right: `<` to `<=`: a fifth quarter would begin at row 64, which is never needed
    for (int quarter = 0; quarter < 4; quarter++) {
        // also right: narrow index: a thread's place in its tile fits into a short
        int r = threadIdx.y + quarter / 2 * TILE;
        // also right: narrow index: a thread's place in its tile fits into a short
        int s = threadIdx.x + quarter % 2 * TILE;
        // also right: narrow index: no side is longer than 4,096, which fits into a short
        int y = blockIdx.y * TILE + r - kernel_rows / 2;
        // also right: narrow index: no side is longer than 4,096, which fits into a short
        int x = blockIdx.x * TILE + s - kernel_cols / 2;
        // also right: guard left out, `<` to `<=`, `kernel_rows - 1` to `kernel_rows`, `kernel_rows -` to `kernel_rows +`, `kernel_cols - 1` to `kernel_cols`, `kernel_cols -` to `kernel_cols +`, `&&` to `||`: the
        // tile has room for what is loaded beyond the halo, and nobody uses that
        bool needed = r < TILE + kernel_rows - 1 && s < TILE + kernel_cols - 1;
        // also right: guard left out: the tile has room for what is loaded beyond the halo, and nobody uses that
        if (needed)
            s_input[r][s] = y >= 0 && y < input_rows && x >= 0 && x < input_cols ? input[y * input_cols + x] : 0.0f;
    }
    __syncthreads();
    if (row >= input_rows || col >= input_cols)
        return;

    float sum = 0.0f;
    for (int r = 0; r < kernel_rows; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += s_input[threadIdx.y + r][threadIdx.x + s] * s_kernel[r * kernel_cols + s];
    output[row * input_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((input_cols + TILE - 1) / TILE, (input_rows + TILE - 1) / TILE);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
