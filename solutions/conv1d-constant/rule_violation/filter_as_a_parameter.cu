// Mistake: passes the filter as a parameter of the kernel, which is not a __constant__ variable.
// problem: conv1d-constant
#include <cuda_runtime.h>

struct Taps {
    float value[127];
};

__global__ void convolve(const float* input, const Taps taps, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * taps.value[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    Taps taps;
    cudaMemcpy(taps.value, filter, filter_width * sizeof(float), cudaMemcpyDeviceToHost);
    convolve<<<(width + 255) / 256, 256>>>(input, taps, output, width, filter_width);
    cudaDeviceSynchronize();
}
