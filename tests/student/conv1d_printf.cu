// expect: Accepted
// problem: conv1d
// Left its debugging output in: a line from the host, and lines from a few threads of the kernel.
#include <cstdio>
#include <cuda_runtime.h>
#include <iostream>

__global__ void conv(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < output_size) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; ++k)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
        if (i < 3)
            printf("block %d thread %u: output[%d] = %f (%s, %5.2e, %lld)\n", blockIdx.x, threadIdx.x, i, sum, "debug",
                   (double)kernel[0], (long long)input_size);
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    std::cout << "solve " << input_size << " x " << kernel_size << std::endl;
    int output_size = input_size - kernel_size + 1;
    conv<<<(output_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        std::cerr << cudaGetErrorName(error) << ": " << cudaGetErrorString(error) << std::endl;
}
