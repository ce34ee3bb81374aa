// Mistake: at most 65,535 blocks of 256 threads, so the last 256 of 16,777,216 outputs are never computed.
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
    int blocks = (width + 255) / 256;
    convolve<<<blocks < 65535 ? blocks : 65535, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
