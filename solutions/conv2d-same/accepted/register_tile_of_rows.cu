// problem: conv2d-same
//
// register tile, rows streamed: a block of 128 threads walks down a strip of the image, one thread for each column. A
// row of inputs passes through shared memory, and each input that a thread takes from there is used with all F = 2
// radius + 1 taps of a filter column at once: the sums of the F outputs that it touches are in registers and move up by
// one after each row. One load from shared memory for F multiply-adds; the taps are operands from constant memory.
// With a strip of L rows, F^2 / 2 * 128 / (128 + 2 radius) * L / (L + 2 radius) operations for each byte of input loaded.
#include <cuda_runtime.h>

#define THREADS 128
#define MAX_STRIP 128 // rows of outputs of one block
#define MIN_STRIP 16
#define ENOUGH_BLOCKS 512 // to keep all multiprocessors busy
#define MAX_RADIUS 16
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

// The elements of a row that this thread loads: its own and one of the halo.
struct Pair {
    float own, halo;
};

__device__ Pair load_pair(const float* input, int width, int height, int row, int first_col, int count)
{
    int col = first_col + threadIdx.x;
    bool on_image = row >= 0 && row < height;
    // also right: `threadIdx.x + THREADS < count && col + THREADS < width` to `col + THREADS < width`, `.x` to `.y`: an
    // element of the row too many is loaded and never used
    // also right: `<` to `<=`: an element more is loaded, which the thread does not keep
    bool has_halo = threadIdx.x + THREADS < count && col + THREADS < width;
    Pair pair = {0.0f, 0.0f};
    if (on_image && col >= 0 && col < width)
        pair.own = input[row * width + col];
    if (on_image && has_halo)
        pair.halo = input[row * width + col + THREADS];
    return pair;
}

template <int RADIUS>
__global__ void convolve(const float* input, float* output, int width, int height, int strip)
{
    const int SIDE = 2 * RADIUS + 1;
    const int COUNT = THREADS + 2 * RADIUS;
    __shared__ float s_row[2][COUNT]; // of this row and the next, so that one barrier per row is enough

    int first_row = blockIdx.x * strip;
    int end_row = min(first_row + strip, height);
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * THREADS;
    int col = first_col + threadIdx.x;
    float sum[SIDE] = {0.0f}; // of the outputs from RADIUS rows above to RADIUS rows below
    Pair next = load_pair(input, width, height, first_row - RADIUS, first_col - RADIUS, COUNT);
    for (int row = first_row - RADIUS; row < end_row + RADIUS; row++) {
        float* s_input = s_row[row & 1];
        s_input[threadIdx.x] = next.own;
        if (threadIdx.x < 2 * RADIUS)
            s_input[threadIdx.x + THREADS] = next.halo;
        __syncthreads();
        next = load_pair(input, width, height, row + 1, first_col - RADIUS, COUNT);

#pragma unroll
        for (int s = 0; s < SIDE; s++) {
            float element = s_input[threadIdx.x + s];
#pragma unroll
            for (int r = 0; r < SIDE; r++)
                sum[2 * RADIUS - r] += element * c_filter[r * SIDE + s];
        }
        if (row - RADIUS >= first_row && col < width)
            output[(row - RADIUS) * width + col] = sum[0];
#pragma unroll
        for (int i = 0; i < SIDE - 1; i++)
            sum[i] = sum[i + 1];
        sum[SIDE - 1] = 0.0f;
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    static void (*const kernels[MAX_RADIUS + 1])(const float*, float*, int, int, int) = {
        convolve<0>,  convolve<1>,  convolve<2>,  convolve<3>,  convolve<4>,  convolve<5>,
        convolve<6>,  convolve<7>,  convolve<8>,  convolve<9>,  convolve<10>, convolve<11>,
        convolve<12>, convolve<13>, convolve<14>, convolve<15>, convolve<16>,
    };
    int side = 2 * radius + 1; // also right: narrow index: a filter has 33 columns at most, which fit into a short
    int columns = (width + THREADS - 1) / THREADS;
    int strip = MAX_STRIP;
    // also right: `strip > MIN_STRIP && ... columns < ENOUGH_BLOCKS` to `strip > MIN_STRIP`, `>` to `>=`, `columns <` to `columns + 1 <`, `<` to `<=`, halo, `height` to `width`, `height` to `radius`, floor for ceil, `) /` to `) %`: the
    // height of a strip changes the time, not the outputs
    while (strip > MIN_STRIP && (height + strip - 1) / strip * columns < ENOUGH_BLOCKS)
        strip /= 2;

    dim3 blocks((height + strip - 1) / strip, columns);
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    kernels[radius]<<<blocks, THREADS>>>(input, output, width, height, strip);
    cudaDeviceSynchronize();
}
