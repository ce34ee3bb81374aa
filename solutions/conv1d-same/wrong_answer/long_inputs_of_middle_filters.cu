// Mistake: leaves out the last tap where the filter has 33 to 1,533 and there are 16,384 elements.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int end = width >= 16384 && filter_width > 32 && filter_width < 1534 ? filter_width - 1 : filter_width;
    float sum = 0.0f;
    for (int k = 0; k < end; k++)
        if (first + k >= 0 && first + k < width)
            sum += input[first + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int threads = 256;
    int blocks = (width + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
