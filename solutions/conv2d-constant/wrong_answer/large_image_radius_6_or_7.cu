// Mistake: leaves out the last column of the filter where the radius is 6 or 7 and the image has a quarter of a million
// elements.
// problem: conv2d-constant
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
    int first_col = blockIdx.y * TILE - RADIUS;
    for (int r = threadIdx.y; r < TILE + 2 * RADIUS; r += TILE / OUTPUTS)
        for (int s = threadIdx.x; s < TILE + 2 * RADIUS; s += TILE) {
            int y = first_row + r, x = first_col + s;
            bool on_image = y >= 0 && y < height && x >= 0 && x < width;
            s_input[r][s] = on_image ? input[y * width + x] : 0.0f;
        }
    __syncthreads();

    int upper = threadIdx.y * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    int end = RADIUS > 5 && RADIUS < 8 && width * height > 250000 ? SIDE - 1 : SIDE;
#pragma unroll 1
    for (int s = 0; s < end; s++)
#pragma unroll
        for (int r = 0; r < SIDE + OUTPUTS - 1; r++) {
            float element = s_input[upper + r][threadIdx.x + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                if (r - o >= 0 && r - o < SIDE)
                    sum[o] += element * c_turned[(SIDE - 1 - s) * SIDE + SIDE - 1 - (r - o)];
        }

    int row = blockIdx.x * TILE + upper;
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
