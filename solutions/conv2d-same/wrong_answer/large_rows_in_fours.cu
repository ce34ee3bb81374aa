// Mistake: leaves out the last columns of an image of a million elements that four do not divide.
// problem: conv2d-same
#include <cuda_runtime.h>

#define THREADS_X 32
#define THREADS_Y 8
#define OUTPUTS 8
#define TILE_ROWS (THREADS_Y * OUTPUTS)
#define MAX_RADIUS 16
#define MAX_SIDE (2 * MAX_RADIUS + 1)

__global__ void convolve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float s_filter[MAX_SIDE * MAX_SIDE];
    extern __shared__ float s_input[]; // (TILE_ROWS + 2 radius) x (THREADS_X + 2 radius)

    int side = 2 * radius + 1;
    int tile_cols = THREADS_X + 2 * radius;
    int first_row = blockIdx.x * TILE_ROWS;
    int first_col = blockIdx.y * THREADS_X;
    for (int i = threadIdx.y * THREADS_X + threadIdx.x; i < side * side; i += THREADS_X * THREADS_Y)
        s_filter[i] = filter[i];
    for (int r = threadIdx.y; r < TILE_ROWS + 2 * radius; r += THREADS_Y)
        for (int s = threadIdx.x; s < tile_cols; s += THREADS_X) {
            int row = first_row + r - radius;
            int col = first_col + s - radius;
            bool inside = row >= 0 && row < height && col >= 0 && col < width;
            s_input[r * tile_cols + s] = inside ? input[row * width + col] : 0.0f;
        }
    __syncthreads();

    int top = threadIdx.y * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < side; s++) {
        const float* column = s_input + top * tile_cols + threadIdx.x + s;
        float window[OUTPUTS]; // inputs r .. r + 7 of this thread's column
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = column[o * tile_cols];
#pragma unroll 8
        for (int r = 0; r < side; r++) {
            window[OUTPUTS - 1] = column[(r + OUTPUTS - 1) * tile_cols];
            float tap = s_filter[r * side + s];
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
        if (row + o < height && col < (width >= 32 && width * height >= 1 << 20 ? width / 4 * 4 : width))
            output[(row + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(THREADS_X, THREADS_Y);
    dim3 blocks((height + TILE_ROWS - 1) / TILE_ROWS, (width + THREADS_X - 1) / THREADS_X);
    size_t shared_bytes = (TILE_ROWS + 2 * radius) * (THREADS_X + 2 * radius) * sizeof(float);
    convolve<<<blocks, threads, shared_bytes>>>(input, filter, output, width, height, radius);
    cudaDeviceSynchronize();
}
