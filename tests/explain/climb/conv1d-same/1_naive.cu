// expect: Accepted
// problem: conv1d-same
// One thread computes one output; every multiply-add loads its input and its tap and tests for the ends. Model:
// solutions/conv1d-same/accepted/naive.cu
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
    int threads = 256;
    int blocks = (width + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
