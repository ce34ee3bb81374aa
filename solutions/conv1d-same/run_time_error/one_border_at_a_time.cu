// Mistake: near the left end tests for the left ghost cells only. Where the filter is wider than the input it also
// extends beyond the right end there.
// on cuda: Wrong Answer, Accepted, Run-Time Error
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int begin = 0;
    int end = filter_width;
    if (first < 0)
        begin = -first;
    else if (first + filter_width > width)
        end = width - first;

    float sum = 0.0f;
    for (int k = begin; k < end; k++)
        sum += input[first + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
