// expect: Accepted
// problem: conv2d-constant
// advice: constants_too_long
// A block copies the filter from constant to shared memory once, and reads its taps there. Model:
// solutions/conv2d-constant/accepted/register_tile.cu, without a tile of the input
#include <cuda_runtime.h>

#define OUTPUTS 8 // of a thread
#define MAX_SIDE 17

__constant__ float c_filter[MAX_SIDE * MAX_SIDE];

__global__ void convolve(const float* input, float* output, int width, int height, int radius)
{
    __shared__ float s_filter[MAX_SIDE * MAX_SIDE];
    int side = 2 * radius + 1;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < side * side; k += blockDim.x * blockDim.y)
        s_filter[k] = c_filter[k];
    __syncthreads();

    int row = (blockIdx.x * blockDim.y + threadIdx.y) * OUTPUTS;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    if (row >= height || col >= width)
        return;

    float sum[OUTPUTS] = {0.0f};
    for (int s = 0; s < side; s++) {
        int x = col + s - radius;
        if (x < 0 || x >= width)
            continue;
        float window[OUTPUTS]; // inputs r .. r + 7 of column x
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++) {
            int y = row - radius + o;
            window[o] = y >= 0 && y < height ? input[y * width + x] : 0.0f;
        }
#pragma unroll 8
        for (int r = 0; r < side; r++) {
            int y = row - radius + r + OUTPUTS - 1;
            window[OUTPUTS - 1] = y >= 0 && y < height ? input[y * width + x] : 0.0f;
            float tap = s_filter[r * side + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o] * tap;
#pragma unroll
            for (int o = 0; o < OUTPUTS - 1; o++)
                window[o] = window[o + 1];
        }
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (row + o < height)
            output[(row + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    dim3 threads(32, 4);
    dim3 blocks((height + 4 * OUTPUTS - 1) / (4 * OUTPUTS), (width + 31) / 32);
    int side = 2 * radius + 1;
    cudaMemcpyToSymbol(c_filter, filter, side * side * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
