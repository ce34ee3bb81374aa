// 264 blocks of 64 threads stride over the outputs: too few warps to hide the loads.
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int radius = filter_width / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width; i += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (int k = max(0, radius - i); k < min(filter_width, width + radius - i); k++)
            sum += input[i + k - radius] * c_filter[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<264, 64>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
