// A grid of 132 large blocks strides over the outputs; everything comes from global memory.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int outputs, int taps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < outputs; i += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < taps; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<132, 1024>>>(input, kernel, output, input_size - kernel_size + 1, kernel_size);
    cudaDeviceSynchronize();
}
