// expect: Run-Time Error
// Mistake: passes a copy of the filter in host memory to the kernel, which can only reach device memory.
// on cuda: Accepted
// problem: conv1d
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float* h_kernel = (float*)malloc(kernel_size * sizeof(float));
    cudaMemcpy(h_kernel, kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    convolve<<<(output_size + 255) / 256, 256>>>(input, h_kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    free(h_kernel);
}
