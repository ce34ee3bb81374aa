// expect: Run-Time Error
// says: host code followed a device pointer, which only kernels and cudaMemcpy() can use (host_pointer.cu:27: `std::vector<float> first(100); memcpy(first.data(), input, input_size * sizeof(f...`)
// problem: conv1d
//
// In a sample case, host code copies from a device pointer.
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    if (input_size > 0) {
        std::vector<float> first(100); memcpy(first.data(), input, input_size * sizeof(float));
        cudaMemcpy(output, first.data(), 4, cudaMemcpyDefault);
    }
    cudaDeviceSynchronize();
}
