// problem: conv2d-constant
//
// wide loads and two filters in constant memory, used in turn, so that a copy need not wait for the kernel of the
// previous call. A thread computes 4 outputs side by side: along a row of the filter, 4 inputs come from shared memory
// with one load of 16 bytes, for 16 multiply-adds. Rows of the filter are padded with zeros to a multiple of 4 taps.
// Operations per byte read from shared memory, for S outputs per thread: 2 S / 4, here 2; from global memory, for a
// tile of 64 x 16 and F = 2 radius + 1, F^2 / 2 * 64 / (64 + 2 radius) * 16 / (16 + 2 radius).
#include <cuda_runtime.h>

#define STEP 4 // outputs of a thread, and taps taken at a time: one float4
#define TILE_ROWS 16
#define TILE_COLS (16 * STEP)
#define MAX_RADIUS 8
#define PITCH 20 // taps from row to row of the filter
#define MAX_TAPS ((2 * MAX_RADIUS + 1) * PITCH)

__constant__ float c_filters[2][MAX_TAPS];

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void convolve(const float* input, float* output, int width, int height, int radius, int which)
{
    __shared__ __align__(16) float s_input[TILE_ROWS + 2 * MAX_RADIUS][TILE_COLS + PITCH];

    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    int first_row = blockIdx.x * TILE_ROWS - radius;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int first_col = blockIdx.y * TILE_COLS - radius;
    for (int r = threadIdx.y; r < TILE_ROWS + 2 * radius; r += TILE_ROWS)
        // also right: `s <` to `s + 1 <`: the last element is loaded with three others, and multiplied with nothing
        for (int s = threadIdx.x; s < TILE_COLS + PITCH; s += TILE_COLS / STEP) {
            int y = first_row + r, x = first_col + s;
            bool on_image = y >= 0 && y < height && x >= 0 && x < width;
            s_input[r][s] = on_image ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    float sum[STEP] = {0.0f};
    for (int r = 0; r < side; r++) {
        const float* mine = &s_input[threadIdx.y + r][threadIdx.x * STEP];
        float window[2 * STEP]; // inputs s .. s + 7 of this row
        load4(window, mine);
        for (int s = 0; s < side; s += STEP) { // also right: `<` to `<=`: a side of the filter is odd
            load4(window + STEP, mine + s + STEP);
#pragma unroll
            for (int t = 0; t < STEP; t++)
#pragma unroll
                for (int o = 0; o < STEP; o++)
                    sum[o] += window[o + t] * c_filters[which][r * PITCH + s + t];
#pragma unroll
            for (int j = 0; j < STEP; j++)
                window[j] = window[j + STEP];
        }
    }

    int row = blockIdx.x * TILE_ROWS + threadIdx.y;
    // also right: narrow index: no row has more than 16,384 columns, which fit into a short
    int col = blockIdx.y * TILE_COLS + threadIdx.x * STEP;
#pragma unroll
    for (int o = 0; o < STEP; o++)
        if (row < height && col + o < width)
            output[row * width + col + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    static cudaStream_t stream = nullptr;
    static float* padded = nullptr;
    static int calls = 0;
    // also right: guard left out: a stream and a few bytes of device memory that are made anew for each call, and never
    // freed, serve as well
    if (stream == nullptr) {
        cudaStreamCreate(&stream);
        cudaMalloc(&padded, MAX_TAPS * sizeof(float));
    }
    int which = calls++ % 2;
    // also right: narrow index: a side of the filter has at most 17 taps, which fits into a short
    int side = 2 * radius + 1;
    dim3 threads(TILE_COLS / STEP, TILE_ROWS);
    dim3 blocks((height + TILE_ROWS - 1) / TILE_ROWS, (width + TILE_COLS - 1) / TILE_COLS);
    cudaMemsetAsync(padded, 0, MAX_TAPS * sizeof(float), stream);
    cudaMemcpy2DAsync(padded, PITCH * sizeof(float), filter, side * sizeof(float), side * sizeof(float), side,
                      cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyToSymbolAsync(c_filters, padded, MAX_TAPS * sizeof(float), which * MAX_TAPS * sizeof(float),
                            cudaMemcpyDeviceToDevice, stream);
    convolve<<<blocks, threads, 0, stream>>>(input, output, width, height, radius, which);
    cudaStreamSynchronize(stream);
}
