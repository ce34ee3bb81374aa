// expect: Run-Time Error
// says: solve() did not return: its process ended, by a crash, a signal or an exit (hidden_host_pointer.cu:27: `std::vector<float> copy(input, input + input_size);`)
// problem: conv1d
//
// In a hidden case, host code reads through a device pointer, within a function of a library.
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
    if (input_size > 200) {
        std::vector<float> copy(input, input + input_size);
        cudaMemcpy(output, copy.data(), 4, cudaMemcpyDefault);
    }
    cudaDeviceSynchronize();
}
