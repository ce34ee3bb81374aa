// Mistake: loads one element of halo too few, so the last tap of the last output of a tile reads a zero.
// says: elements at equal distances: zero
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 2047

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE + MAX_FILTER_WIDTH - 1];

    int halo = filter_width - 2;
    int first = blockIdx.x * TILE - filter_width / 2;
    if (threadIdx.x == 0)
        s_input[TILE + filter_width - 2] = 0.0f;
    __syncthreads();
    for (int j = threadIdx.x; j < TILE + halo; j += TILE)
        s_input[j] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f;
    __syncthreads();

    int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += s_input[threadIdx.x + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + TILE - 1) / TILE, TILE>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
