// expect: Accepted
// problem: gaussian-blur
// advice: register_patch
// A thread computes a patch of 4 rows of 8 outputs. It walks down the tile once; each row of inputs that it takes, 16
// bytes at a time, serves all 4 rows of outputs, each with another row of the filter. For that the compiler knows how
// many taps a row has at most; those that the filter lacks are 0. Narrow filters, which the advice is not about, keep
// the kernel of the step before. Model: solutions/gaussian-blur/accepted/patch_in_registers.cu, with less care
#include <cuda_runtime.h>

#define MAX_KERNEL 21

#define THREADS_X 32
#define THREADS_Y 8
#define OUTPUTS 8
#define COLUMN_TILE_ROWS (THREADS_Y * OUTPUTS)

__global__ void blur_in_columns(const float* input, const float* kernel, float* output, int input_rows,
                                int input_cols, int kernel_rows, int kernel_cols)
{
    __shared__ float s_kernel[MAX_KERNEL][MAX_KERNEL];
    __shared__ float s_input[COLUMN_TILE_ROWS + MAX_KERNEL - 1][THREADS_X + MAX_KERNEL - 1];

    int first_row = blockIdx.y * COLUMN_TILE_ROWS;
    int first_col = blockIdx.x * THREADS_X;
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS_Y)
        if (threadIdx.x < kernel_cols)
            s_kernel[r][threadIdx.x] = kernel[r * kernel_cols + threadIdx.x];
    for (int r = threadIdx.y; r < COLUMN_TILE_ROWS + kernel_rows - 1; r += THREADS_Y)
        for (int s = threadIdx.x; s < THREADS_X + kernel_cols - 1; s += THREADS_X) {
            int y = first_row + r - kernel_rows / 2;
            int x = first_col + s - kernel_cols / 2;
            bool inside = y >= 0 && y < input_rows && x >= 0 && x < input_cols;
            s_input[r][s] = inside ? input[y * input_cols + x] : 0.0f;
        }
    __syncthreads();

    int top = threadIdx.y * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < kernel_cols; s++) {
        float window[OUTPUTS]; // inputs r .. r + 7 of this thread's column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = s_input[top + o][threadIdx.x + s];
#pragma unroll 8
        for (int r = 0; r < kernel_rows; r++) {
            window[OUTPUTS - 1] = s_input[top + r + OUTPUTS - 1][threadIdx.x + s];
            float tap = s_kernel[r][s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

    int row = first_row + top;
    int col = first_col + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < input_rows && col < input_cols)
            output[(row + o) * input_cols + col] = sum[o];
}

#define ROWS 4
#define COLS 8
#define LANES_X 8
#define LANES_Y 16
#define THREADS (LANES_X * LANES_Y)
#define TAPS 24 // of a row of the filter, filled up for load4()
#define WINDOW (COLS + MAX_KERNEL - 1)
#define TILE_ROWS (LANES_Y * ROWS)
#define TILE_COLS (LANES_X * COLS)
#define WIDTH (TILE_COLS - COLS + WINDOW)

// Where column s of a row lies: 4 floats stay free after each 32, so that threads 8 columns apart read other banks.
__host__ __device__ constexpr int place(int s)
{
    return s + s / 32 * 4;
}

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void __launch_bounds__(THREADS, 4)
    blur_in_patches(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                    int kernel_rows, int kernel_cols)
{
    __shared__ __align__(16) float s_kernel[MAX_KERNEL][TAPS];
    __shared__ __align__(16) float s_input[TILE_ROWS + MAX_KERNEL - 1][place(WIDTH)];

    int first_row = blockIdx.y * TILE_ROWS, first_col = blockIdx.x * TILE_COLS;
    for (int i = threadIdx.x; i < kernel_rows * TAPS; i += THREADS) {
        int s = i % TAPS;
        s_kernel[i / TAPS][s] = s < kernel_cols ? kernel[i / TAPS * kernel_cols + s] : 0.0f;
    }
#pragma unroll 4
    for (int i = threadIdx.x; i < (TILE_ROWS + kernel_rows - 1) * WIDTH; i += THREADS) {
        int r = i / WIDTH, s = i % WIDTH;
        int row = first_row - kernel_rows / 2 + r, col = first_col - kernel_cols / 2 + s;
        bool inside = row >= 0 && row < input_rows && col >= 0 && col < input_cols;
        s_input[r][place(s)] = inside ? input[row * input_cols + col] : 0.0f;
    }
    __syncthreads();

    int x = threadIdx.x % LANES_X * COLS, y = threadIdx.x / LANES_X * ROWS; // of the patch in the tile
    float sum[ROWS][COLS] = {{0.0f}};
#pragma unroll 1
    for (int r = 0; r < kernel_rows + ROWS - 1; r++) {
        float window[WINDOW];
#pragma unroll
        for (int s = 0; s < WINDOW; s += 4)
            load4(window + s, &s_input[y + r][place(x + s)]);
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            if (r < o || r - o >= kernel_rows) // this row of inputs takes no part in row o of the outputs
                continue;
#pragma unroll
            for (int s = 0; s < TAPS; s += 4) {
                float tap[4];
                load4(tap, &s_kernel[r - o][s]);
#pragma unroll
                for (int t = 0; t < 4 && s + t < MAX_KERNEL; t++)
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
    if (kernel_cols <= 8) {
        dim3 threads(THREADS_X, THREADS_Y);
        dim3 blocks((input_cols + THREADS_X - 1) / THREADS_X, (input_rows + COLUMN_TILE_ROWS - 1) / COLUMN_TILE_ROWS);
        blur_in_columns<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    } else {
        dim3 blocks((input_cols + TILE_COLS - 1) / TILE_COLS, (input_rows + TILE_ROWS - 1) / TILE_ROWS);
        blur_in_patches<<<blocks, THREADS>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    }
    cudaDeviceSynchronize();
}
