// Mistake: each thread loads its own element and at most one of the halo on either side, so taps that lie more than a
// block away from the middle read zeros.
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 2047
#define MAX_RADIUS (MAX_FILTER_WIDTH / 2)

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_input[MAX_RADIUS + TILE + MAX_RADIUS];

    for (int j = threadIdx.x; j < MAX_RADIUS + TILE + MAX_RADIUS; j += TILE)
        s_input[j] = 0.0f;
    __syncthreads();
    int i = blockIdx.x * TILE + threadIdx.x;
    for (int side = -1; side <= 1; side++) {
        int j = i + side * TILE;
        if (j >= 0 && j < width)
            s_input[MAX_RADIUS + threadIdx.x + side * TILE] = input[j];
    }
    __syncthreads();
    if (i >= width)
        return;

    const float* mine = s_input + MAX_RADIUS + threadIdx.x - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += mine[k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + TILE - 1) / TILE, TILE>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
