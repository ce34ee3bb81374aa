// A thread computes eight neighbouring outputs straight from global memory, so that its loads and stores are strided.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int i = first; i < first + 8 && i < outputs; i++) {
        float sum = 0.0f;
        for (int k = 0; k < taps; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    int threads = (outputs + 7) / 8;
    convolve<<<(threads + 127) / 128, 128>>>(input, kernel, output, outputs, kernel_size);
    cudaDeviceSynchronize();
}
