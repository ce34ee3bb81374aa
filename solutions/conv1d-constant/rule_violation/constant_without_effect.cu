// Mistake: reads every tap from constant memory, but takes what it multiplies from global memory.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * filter[k] + 0.0f * c_filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
