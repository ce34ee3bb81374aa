// Mistake: the filter is flipped, as in the mathematical convolution.
// problem: @ID@
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        int at = i + k - 1;
        if (at >= 0 && at < length)
            sum += input[at] * filter[2 - k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int length)
{
    int threads = 256;
    int blocks = (length + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, filter, output, length);
    cudaDeviceSynchronize();
}
