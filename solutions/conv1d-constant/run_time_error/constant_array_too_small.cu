// Mistake: the constant array has room for 64 taps; the copy of a wider filter fails, and nothing checks that.
// says: cudaMemcpyToSymbol() fails (constant_array_too_small.cu:
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[64];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < min(filter_width, 64); k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * c_filter[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
