// problem: gaussian-blur
//
// several results per thread, aligned halo: a thread computes 4 outputs side by side and takes 4 taps of a filter row
// at a time, 16 bytes each. The halo is made wider, to a multiple of 4 columns, so that a piece of 4 inputs is aligned
// both in global and in shared memory; the filter gets as many zeros on its left, and on its right up to a multiple of
// 4. With a tile of 16 x 64, R x S taps and F taps in a row filled up, R S / 2 * 16 / (16 + R - 1) * 64 / (64 + F)
// operations for each byte of input loaded: 3.6 with 3 x 3, 71 with 21 x 21.
#include <cuda_runtime.h>

#define THREADS 16
#define STEP 4 // outputs of a thread, and taps taken at a time: one float4
#define TILE_ROWS THREADS
#define TILE_COLS (THREADS * STEP)
#define MAX_KERNEL 21
#define MAX_TAPS 24 // of a filter row, filled up

__device__ int round_up(int count)
{
    return (count + STEP - 1) / STEP * STEP;
}

// The 4 inputs from column x on, where x is a multiple of 4, with zeros beyond the border.
__device__ float4 load_piece(const float* input, int input_rows, int input_cols, int y, int x)
{
    // also right: `x <` to `x + 1 <`: a multiple of 4 is not -1
    if (y < 0 || y >= input_rows || x < 0 || x >= input_cols)
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* piece = input + y * input_cols + x;
    if (input_cols % STEP == 0)
        return *reinterpret_cast<const float4*>(piece);
    return make_float4(piece[0], x + 1 < input_cols ? piece[1] : 0.0f, x + 2 < input_cols ? piece[2] : 0.0f,
                       // also right: `3 <` to `3 + 1 <`: the width is no multiple of 4 here, but x + 4 is one
                       x + 3 < input_cols ? piece[3] : 0.0f);
}

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void blur(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                     int kernel_rows, int kernel_cols)
{
    __shared__ __align__(16) float s_kernel[MAX_KERNEL][MAX_TAPS];
    __shared__ __align__(16) float s_input[TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_TAPS];

    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int first_col = blockIdx.x * TILE_COLS;
    int halo_cols = round_up(kernel_cols / 2);
    int zeros = halo_cols - kernel_cols / 2; // on the filter's left
    int taps = round_up(zeros + kernel_cols);
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS)
        for (int s = threadIdx.x; s < taps; s += THREADS) {
            bool on_kernel = s >= zeros && s < zeros + kernel_cols;
            s_kernel[r][s] = on_kernel ? kernel[r * kernel_cols + s - zeros] : 0.0f;
        }
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += THREADS)
        // also right: narrow index: a thread's place in its tile fits into a short
        // also right: `s <` to `s + 1 <`: both sides are multiples of 4
        for (int s = threadIdx.x * STEP; s < TILE_COLS + taps; s += TILE_COLS)
            *reinterpret_cast<float4*>(&s_input[r][s]) =
                load_piece(input, input_rows, input_cols, first_row + r - kernel_rows / 2, first_col + s - halo_cols);
    __syncthreads();

    float sum[STEP] = {0.0f};
    for (int r = 0; r < kernel_rows; r++) {
        const float* mine = &s_input[threadIdx.y + r][threadIdx.x * STEP];
        float window[2 * STEP]; // inputs s .. s + 7 of this thread
        load4(window, mine);
        for (int s = 0; s < taps; s += STEP) { // also right: `s <` to `s + 1 <`: both sides are multiples of 4
            float tap[STEP];
            load4(tap, &s_kernel[r][s]);
            load4(window + STEP, mine + s + STEP);
#pragma unroll
            for (int t = 0; t < STEP; t++)
#pragma unroll
                // also right: `<` to `<=`: nobody reads the sum behind the array's last, so that nvcc computes none
                for (int o = 0; o < STEP; o++)
                    sum[o] += window[o + t] * tap[t];
#pragma unroll
            for (int j = 0; j < STEP; j++)
                window[j] = window[j + STEP];
        }
    }

    int row = first_row + threadIdx.y;
    // also right: narrow index: no side is longer than 4,096, which fits into a short
    int col = first_col + threadIdx.x * STEP;
#pragma unroll
    for (int o = 0; o < STEP; o++)
        if (row < input_rows && col + o < input_cols)
            output[row * input_cols + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    dim3 threads(THREADS, THREADS);
    dim3 blocks((input_cols + TILE_COLS - 1) / TILE_COLS, (input_rows + TILE_ROWS - 1) / TILE_ROWS);
    blur<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
