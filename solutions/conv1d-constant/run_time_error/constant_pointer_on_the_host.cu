// Mistake: passes the symbol itself to the kernel; in host code that is a host address.
// says: which is not device memory (a host pointer?)
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, const float* taps, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * taps[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(input, c_filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
