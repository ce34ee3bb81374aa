// Mistake: one thread loads one tap of the filter, so those beyond the block of 1024 threads stay zero.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_filter[2048];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s_filter[threadIdx.x] = threadIdx.x < filter_width ? filter[threadIdx.x] : 0.0f;
    s_filter[threadIdx.x + 1024] = 0.0f;
    __syncthreads();
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        if (first + k >= 0 && first + k < width)
            sum += input[first + k] * s_filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 1023) / 1024, 1024>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
