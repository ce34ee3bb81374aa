// A tile of 512 inputs in shared memory has no halo: neighbours' inputs come from global memory.
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 512

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float tile[TILE];
    int first = blockIdx.x * TILE, i = first + threadIdx.x;
    tile[threadIdx.x] = i < width ? input[i] : 0.0f;
    __syncthreads();
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i - filter_width / 2 + k;
        if (j >= first && j < first + TILE)
            sum += tile[j - first] * filter[k];
        else if (j >= 0 && j < width)
            sum += input[j] * filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + TILE - 1) / TILE, TILE>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
