// Mistake: rounds the number of blocks down, so a remainder of less than a block is never computed.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
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
    int blocks = width < 256 ? 1 : width / 256;
    convolve<<<blocks, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
