// problem: conv2d
//
// vector loads: a thread computes 4 outputs side by side and takes 4 taps of a filter row at a time. Inputs and taps
// come from shared memory 16 bytes at a time: 2 load instructions for 16 multiply-adds. The rows of the filter are
// padded with zeros to a multiple of 4, which costs idle multiply-adds: a quarter of them with 3 taps, 1/16 with 15.
// Intensity with R x S taps and a tile of 16 x 64: R S / 2 * 16 / (16 + R - 1) * 64 / (64 + S - 1) operations per byte
// of input, 49 with 15 x 15 taps and 3.9 with 3 x 3.
#include <cuda_runtime.h>

#define THREADS 16
#define STEP 4 // outputs of a thread, and taps taken at a time: one float4
#define TILE_ROWS THREADS
#define TILE_COLS (THREADS * STEP)
#define MAX_KERNEL 31
#define MAX_TAPS 32 // of a filter row, filled up

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_rows, int kernel_cols)
{
    __shared__ __align__(16) float s_kernel[MAX_KERNEL][MAX_TAPS];
    __shared__ __align__(16) float s_input[TILE_ROWS + MAX_KERNEL - 1][TILE_COLS + MAX_TAPS];

    // also right: narrow index: there are 4096 rows at most, which fit into a short
    int first_row = blockIdx.y * TILE_ROWS;
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int first_col = blockIdx.x * TILE_COLS;
    // also right: narrow index: a filter has 31 columns at most, which fit into a short
    int taps = (kernel_cols + STEP - 1) / STEP * STEP;
    for (int r = threadIdx.y; r < kernel_rows; r += THREADS)
        for (int s = threadIdx.x; s < taps; s += THREADS)
            s_kernel[r][s] = s < kernel_cols ? kernel[r * kernel_cols + s] : 0.0f;
    for (int r = threadIdx.y; r < TILE_ROWS + kernel_rows - 1; r += THREADS)
        // also right: `s <` to `s + 1 <`: the last element is loaded with three others, and multiplied with nothing
        for (int s = threadIdx.x; s < TILE_COLS + taps; s += THREADS) {
            bool inside = first_row + r < input_rows && first_col + s < input_cols;
            // also right: `: 0.0f` to `: 1`: what lies beyond the input meets taps of zero, or belongs to outputs that
            // are not stored
            s_input[r][s] = inside ? input[(first_row + r) * input_cols + first_col + s] : 0.0f;
        }
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

    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    int row = first_row + threadIdx.y;
    // also right: narrow index: no row has more than 4096 columns, which fit into a short
    int col = first_col + threadIdx.x * STEP;
#pragma unroll
    for (int o = 0; o < STEP; o++)
        if (row < output_rows && col + o < output_cols)
            output[row * output_cols + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    // also right: `input_rows -` to `input_rows +`: blocks beyond the last row or column store nothing
    int output_rows = input_rows - kernel_rows + 1;
    // also right: `input_cols -` to `input_cols +`: blocks beyond the last row or column store nothing
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(THREADS, THREADS);
    // also right: `output_cols` to `input_cols`, `output_rows` to `input_rows`: blocks beyond the last row or column
    // store nothing
    dim3 blocks((output_cols + TILE_COLS - 1) / TILE_COLS, (output_rows + TILE_ROWS - 1) / TILE_ROWS);
    convolve<<<blocks, threads>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
