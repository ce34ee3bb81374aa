// Mistake: a block loads 256 elements and computes the outputs that have their whole halo among them, less than 256;
// but the grid is counted as if every block computed 256, so the last outputs are never written.
// problem: conv1d-same
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve_tiled(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_input[THREADS];

    int tile = THREADS - filter_width + 1;
    int j = blockIdx.x * tile + threadIdx.x - filter_width / 2;
    s_input[threadIdx.x] = j >= 0 && j < width ? input[j] : 0.0f;
    __syncthreads();

    int i = blockIdx.x * tile + threadIdx.x;
    if (threadIdx.x >= tile || i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += s_input[threadIdx.x + k] * filter[k];
    output[i] = sum;
}

// For filters that leave a tile hardly any outputs.
__global__ void convolve_wide(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (first + k >= 0 && first + k < width)
            sum += input[first + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int blocks = (width + THREADS - 1) / THREADS;
    if (filter_width <= THREADS / 2)
        convolve_tiled<<<blocks, THREADS>>>(input, filter, output, width, filter_width);
    else
        convolve_wide<<<blocks, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
