// expect: Accepted
// problem: conv2d
// no advice: register_patch
// case: 1
// 4 rows of 8 outputs a thread: each row of inputs that it takes serves all four, and each tap 8 outputs. The tile comes
// by asynchronous copies, so that many are under way at once.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int LANES_X = 8, LANES_Y = 16, THREADS = LANES_X * LANES_Y, ROWS = 4, COLS = 8, MOST = 31;

// Four floats stay free after each 32, so that threads 8 columns apart read 16 bytes each from different banks.
__host__ __device__ constexpr int place(int column)
{
    return column + column / 32 * 4;
}

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

// Filters of up to TAPS columns, filled up with zeros.
template <int TAPS>
__global__ void __launch_bounds__(THREADS)
    convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols, int kernel_rows,
             int kernel_cols)
{
    constexpr int WINDOW = COLS + TAPS, WIDTH = (LANES_X - 1) * COLS + WINDOW, PITCH = place(WIDTH) + 4;
    __shared__ __align__(16) float s_kernel[MOST][TAPS];
    extern __shared__ __align__(16) float s_input[];
    int first_row = blockIdx.y * LANES_Y * ROWS, first_col = blockIdx.x * LANES_X * COLS;
    for (int i = threadIdx.x; i < kernel_rows * TAPS; i += THREADS)
        s_kernel[i / TAPS][i % TAPS] = i % TAPS < kernel_cols ? kernel[i / TAPS * kernel_cols + i % TAPS] : 0.0f;
    for (int r = threadIdx.x / 32; r < LANES_Y * ROWS + kernel_rows - 1; r += THREADS / 32)
        for (int s = threadIdx.x % 32; s < WIDTH; s += 32) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            const float* from = inside ? input + (first_row + r) * input_cols + first_col + s : input;
            __pipeline_memcpy_async(s_input + r * PITCH + place(s), from, 4, inside ? 0 : 4);
        }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    int x = threadIdx.x % LANES_X * COLS, y = threadIdx.x / LANES_X * ROWS;
    float sum[ROWS][COLS] = {{0.0f}};
#pragma unroll 1
    for (int r = 0; r < kernel_rows + ROWS - 1; r++) {
        float window[WINDOW];
#pragma unroll
        for (int s = 0; s < WINDOW; s += 4)
            load4(window + s, s_input + (y + r) * PITCH + place(x + s));
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            if (r < o || r - o >= kernel_rows)
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
#pragma unroll
    for (int o = 0; o < ROWS; o++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            int row = first_row + y + o, col = first_col + x + c;
            if (row <= input_rows - kernel_rows && col <= input_cols - kernel_cols)
                output[row * (input_cols - kernel_cols + 1) + col] = sum[o][c];
        }
}

template <int TAPS>
static void launch(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                   int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int pitch = place(LANES_X * COLS + TAPS) + 4;
    dim3 blocks((output_cols + LANES_X * COLS - 1) / (LANES_X * COLS),
                (output_rows + LANES_Y * ROWS - 1) / (LANES_Y * ROWS));
    size_t bytes = (LANES_Y * ROWS + kernel_rows - 1) * pitch * sizeof(float);
    convolve<TAPS><<<blocks, THREADS, bytes>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    auto run = kernel_cols <= 4 ? launch<4> : kernel_cols <= 16 ? launch<16> : launch<32>;
    run(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
