// Mistake: lays the first tap of the filter on the element instead of the middle one.
// says: every element: shifted by one
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (i + k < width)
            sum += input[i + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
