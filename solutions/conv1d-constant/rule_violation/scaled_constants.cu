// Mistake: constant memory holds half of each tap; the taps must arrive unchanged.
// says: filter was not read through constant memory: expected all of its values, unchanged, in __constant__ arrays
// problem: conv1d-constant
#include <cuda_runtime.h>

__constant__ float c_filter[127];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;

    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++) {
        int j = i + k - filter_width / 2;
        if (j >= 0 && j < width)
            sum += input[j] * c_filter[k];
    }
    output[i] = 2.0f * sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    float taps[127];
    cudaMemcpy(taps, filter, filter_width * sizeof(float), cudaMemcpyDeviceToHost);
    for (int k = 0; k < filter_width; k++)
        taps[k] *= 0.5f;
    cudaMemcpyToSymbol(c_filter, taps, filter_width * sizeof(float));
    convolve<<<(width + 255) / 256, 256>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
