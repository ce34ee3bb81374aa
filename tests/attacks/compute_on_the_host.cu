// expect: Rule Violation
// problem: conv1d
// naive: accepted wrong
// Computes on the host and copies the answer over.
#include <cuda_runtime.h>
#include <vector>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    std::vector<float> h_input(input_size), h_kernel(kernel_size), h_output(input_size - kernel_size + 1);
    cudaMemcpy(h_input.data(), input, sizeof(float) * h_input.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, sizeof(float) * h_kernel.size(), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < h_output.size(); i++)
        for (int k = 0; k < kernel_size; k++)
            h_output[i] += h_input[i + k] * h_kernel[k];
    cudaMemcpy(output, h_output.data(), sizeof(float) * h_output.size(), cudaMemcpyHostToDevice);
}
