// Mistake: only the last block tests for the right end. The halo of the block before it also reaches beyond the end,
// where the last block is shorter than the radius.
// on cuda: Wrong Answer, Accepted, Run-Time Error
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 2047

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE + MAX_FILTER_WIDTH - 1];

    bool last = blockIdx.x == gridDim.x - 1;
    int first = blockIdx.x * TILE - filter_width / 2;
    for (int j = threadIdx.x; j < TILE + filter_width - 1; j += TILE) {
        bool ghost = first + j < 0 || (last && first + j >= width);
        s_input[j] = ghost ? 0.0f : input[first + j];
    }
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
