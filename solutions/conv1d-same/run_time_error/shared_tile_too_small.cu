// Mistake: the shared tile has room for filters up to 255 taps; wider ones run over its end.
// on cuda: Run-Time Error, Wrong Answer
// says: a kernel writes past the end of shared array 's_input'
// problem: conv1d-same
#include <cuda_runtime.h>

#define TILE 256
#define MAX_FILTER_WIDTH 255

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE + MAX_FILTER_WIDTH - 1];

    int first = blockIdx.x * TILE - filter_width / 2;
    for (int j = threadIdx.x; j < TILE + filter_width - 1; j += TILE)
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
