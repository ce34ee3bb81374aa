// expect: Run-Time Error
// says: host code divided an integer by zero, or the least integer by -1 (host_division.cu:27: `cudaMemset(output, input_size / (kernel_size / 100), 4);`)
// problem: conv1d
//
// In a sample case, host code divides by zero.
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
        cudaMemset(output, input_size / (kernel_size / 100), 4);
    }
    cudaDeviceSynchronize();
}
