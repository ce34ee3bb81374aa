// A thread for each output in blocks of 1024, and a test of both ends for each tap.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 1023) / 1024, 1024>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
