// Mistake: the taps are filled up to a multiple of 1024 with what malloc() returns. A large piece of new memory begins
// with zeros, which are right; one that was used before does not.
// problem: conv1d
#include <cuda_runtime.h>

#include <cstdlib>

#define STEP 1024
#define TAPS 2048

__constant__ float c_kernel[TAPS];

__global__ void convolve(const float* input, float* output, int input_size, int output_size, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += input[min(i + k, input_size - 1)] * c_kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int taps = (kernel_size + STEP - 1) / STEP * STEP;
    float* h_kernel = (float*)malloc(8192 * TAPS * sizeof(float)); // for as many as 8192 filters
    cudaMemcpy(h_kernel, kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpyToSymbol(c_kernel, h_kernel, taps * sizeof(float));
    convolve<<<(output_size + 255) / 256, 256>>>(input, output, input_size, output_size, taps);
    cudaDeviceSynchronize();
    free(h_kernel);
}
