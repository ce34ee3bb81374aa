// Mistake: copies the data to the host, computes there and copies the result back: no kernel writes the output.
// problem: conv1d
#include <cuda_runtime.h>
#include <vector>

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    std::vector<float> h_input(input_size), h_kernel(kernel_size), h_output(output_size);
    cudaMemcpy(h_input.data(), input, input_size * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < output_size; i++)
        for (int k = 0; k < kernel_size; k++)
            h_output[i] += h_input[i + k] * h_kernel[k];
    cudaMemcpy(output, h_output.data(), output_size * sizeof(float), cudaMemcpyHostToDevice);
}
