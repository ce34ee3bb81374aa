// A thread for each output in blocks of 128, taps in constant memory, and a test of both ends for each tap.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    int start = i - filter_width / 2;
    for (int k = 0; k < filter_width; k++)
        if (start + k >= 0 && start + k < width)
            sum += input[start + k] * c_filter[k];
    if (i < width)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 127) / 128, 128>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
