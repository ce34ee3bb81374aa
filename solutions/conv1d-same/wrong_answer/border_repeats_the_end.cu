// Mistake: beyond the ends repeats the first and the last element, instead of taking zeros.
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
        sum += input[min(max(first + k, 0), width - 1)] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
