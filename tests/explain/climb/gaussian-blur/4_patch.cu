// expect: Accepted
// problem: gaussian-blur
// advice: register_patch
// A thread computes a patch of 4 rows of 8 outputs. It walks down the tile once; each row of inputs that it takes, 16 bytes at a
// time, serves all 4 rows of outputs, each with another row of the filter. For that the compiler knows how many taps a row
// has at most; those that the filter lacks are 0. Model: solutions/gaussian-blur/accepted/patch_in_registers.cu, with less care
#include <cuda_runtime.h>

#define ROWS 4
#define COLS 8
#define THREADS_X 8
#define THREADS_Y 16
#define THREADS (THREADS_X * THREADS_Y)
#define TILE_ROWS (THREADS_Y * ROWS)
#define TILE_COLS (THREADS_X * COLS)
#define MAX_KERNEL 21

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

template <int TAPS> // of a row, a multiple of 4
__global__ void __launch_bounds__(THREADS) blur(const float* input, const float* kernel, float* output, int input_rows,
                                                int input_cols, int kernel_rows, int kernel_cols)
{
    constexpr int WIDTH = TILE_COLS + TAPS;
    __shared__ __align__(16) float s_kernel[MAX_KERNEL][TAPS];
    __shared__ __align__(16) float s_input[TILE_ROWS + MAX_KERNEL - 1][WIDTH + 4];

    int first_row = blockIdx.y * TILE_ROWS, first_col = blockIdx.x * TILE_COLS;
    for (int i = threadIdx.x; i < kernel_rows * TAPS; i += THREADS) {
        int s = i % TAPS;
        s_kernel[i / TAPS][s] = s < kernel_cols ? kernel[i / TAPS * kernel_cols + s] : 0.0f;
    }
    for (int i = threadIdx.x; i < (TILE_ROWS + kernel_rows - 1) * WIDTH; i += THREADS) {
        int r = i / WIDTH, s = i % WIDTH;
        int row = first_row - kernel_rows / 2 + r, col = first_col - kernel_cols / 2 + s;
        bool inside = row >= 0 && row < input_rows && col >= 0 && col < input_cols;
        s_input[r][s] = inside ? input[row * input_cols + col] : 0.0f;
    }
    __syncthreads();

    int x = threadIdx.x % THREADS_X * COLS, y = threadIdx.x / THREADS_X * ROWS; // of the patch in the tile
    float sum[ROWS][COLS] = {{0.0f}};
#pragma unroll 1
    for (int r = 0; r < kernel_rows + ROWS - 1; r++) {
        float window[COLS + TAPS];
#pragma unroll
        for (int s = 0; s < COLS + TAPS; s += 4)
            load4(window + s, &s_input[y + r][x + s]);
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            if (r < o || r - o >= kernel_rows) // this row of inputs takes no part in row o of the outputs
                continue;
#pragma unroll
            for (int s = 0; s < TAPS; s += 4) {
                float tap[4];
                load4(tap, &s_kernel[r - o][s]);
#pragma unroll
                for (int t = 0; t < 4; t++)
#pragma unroll
                    for (int c = 0; c < COLS; c++)
                        sum[o][c] += window[s + t + c] * tap[t];
            }
        }
    }

    int row = first_row + y, col = first_col + x;
#pragma unroll
    for (int o = 0; o < ROWS; o++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            if (row + o < input_rows && col + c < input_cols)
                output[(row + o) * input_cols + col + c] = sum[o][c];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 blocks((input_cols + TILE_COLS - 1) / TILE_COLS, (input_rows + TILE_ROWS - 1) / TILE_ROWS);
    if (kernel_cols <= 4)
        blur<4><<<blocks, THREADS>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    else if (kernel_cols <= 12)
        blur<12><<<blocks, THREADS>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    else
        blur<24><<<blocks, THREADS>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
