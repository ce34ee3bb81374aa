// problem: conv2d-constant
//
// loops of fixed length: the radius is a template parameter, so that the compiler unrolls the loops, and taps are
// operands of multiply-adds by their address in constant memory, without any instruction that loads them. A thread
// computes 8 outputs below each other: each row of inputs goes through registers once and is used with all rows of the
// filter that touch it. The host rotates the filter by 180 degrees before the copy.
// Operations per byte read from shared memory, for S outputs per thread and F = 2 radius + 1: 2 S F / (4 (F + S - 1)),
// 2.8 with F = 17; from global memory F^2 / 2 * (32 / (32 + 2 radius))^2.
#include <cuda_runtime.h>

#define TILE 32
#define OUTPUTS 8 // of a thread
#define MAX_TAPS (17 * 17)

__constant__ float c_turned[MAX_TAPS];

template <int RADIUS>
__global__ void convolve(const float* input, float* output, int width, int height)
{
    const int SIDE = 2 * RADIUS + 1;
    __shared__ float s_input[TILE + 2 * RADIUS][TILE + 2 * RADIUS];

    int first_row = blockIdx.x * TILE - RADIUS;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE - RADIUS;
    for (int r = threadIdx.y; r < TILE + 2 * RADIUS; r += TILE / OUTPUTS)
        for (int s = threadIdx.x; s < TILE + 2 * RADIUS; s += TILE) {
            int y = first_row + r, x = first_col + s;
            bool on_image = y >= 0 && y < height && x >= 0 && x < width;
            s_input[r][s] = on_image ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    int upper = threadIdx.y * OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    float sum[OUTPUTS] = {0.0f};
#pragma unroll 1
    for (int s = 0; s < SIDE; s++)
#pragma unroll
        for (int r = 0; r < SIDE + OUTPUTS - 1; r++) {
            float element = s_input[upper + r][threadIdx.x + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                if (r - o >= 0 && r - o < SIDE)
                    sum[o] += element * c_turned[(SIDE - 1 - s) * SIDE + SIDE - 1 - (r - o)];
        }

    int row = blockIdx.x * TILE + upper;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < height && col < width)
            output[(row + o) * width + col] = sum[o];
}

// By columns, from the lower right tap to the upper left one.
static void copy_turned(const float* filter, int side)
{
    float taps[MAX_TAPS], turned[MAX_TAPS];
    cudaMemcpy(taps, filter, side * side * sizeof(float), cudaMemcpyDeviceToHost);
    for (int r = 0; r < side; r++)
        for (int s = 0; s < side; s++)
            turned[(side - 1 - s) * side + side - 1 - r] = taps[r * side + s];
    cudaMemcpyToSymbol(c_turned, turned, side * side * sizeof(float));
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    static void (*const kernels[])(const float*, float*, int, int) = {
        convolve<0>, convolve<1>, convolve<2>, convolve<3>, convolve<4>,
        convolve<5>, convolve<6>, convolve<7>, convolve<8>,
    };
    dim3 threads(TILE, TILE / OUTPUTS);
    dim3 blocks((height + TILE - 1) / TILE, (width + TILE - 1) / TILE);
    copy_turned(filter, 2 * radius + 1);
    kernels[radius]<<<blocks, threads>>>(input, output, width, height);
    cudaDeviceSynchronize();
}
