// Mistake: takes the first tap from constant memory, and the others from a copy in global memory.
// says: filter was only partly read through constant memory
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
            sum += input[j] * (k == 0 ? c_filter[0] : filter[k]);
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    static float* own = nullptr;
    if (own == nullptr)
        cudaMalloc(&own, 127 * sizeof(float));
    cudaMemcpy(own, filter, filter_width * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + 255) / 256, 256>>>(input, own, output, width, filter_width);
    cudaDeviceSynchronize();
}
