// Mistake: no __syncthreads() between loading the shared tile and using it: elements that another warp
// loads may not be there yet.
// on cuda: Accepted, Wrong Answer
// says: warps of a block race for the same memory, with no barrier in between
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 256

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    extern __shared__ float s_input[]; // TILE + filter_width - 1 elements

    int first = blockIdx.x * TILE - filter_width / 2;
    for (int j = threadIdx.x; j < TILE + filter_width - 1; j += TILE)
        s_input[j] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f;

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
    int blocks = (width + TILE - 1) / TILE;
    size_t shared_bytes = (TILE + filter_width - 1) * sizeof(float);
    convolve<<<blocks, TILE, shared_bytes>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
