// Mistake: leaves out the last tap where the filter has 7 to 125 and there are 16,384 elements.
// problem: conv1d-constant
#include <cuda_runtime.h>

#define MAX_FILTER_WIDTH 127

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    int taps = width >= 16384 && filter_width > 5 && filter_width < 127 ? filter_width - 1 : filter_width;
    int end = min(taps, width - first);
    float sum = 0.0f;
    for (int k = max(0, -first); k < end; k++)
        sum += input[first + k] * c_filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int threads = 256;
    int blocks = (width + threads - 1) / threads;
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<blocks, threads>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
