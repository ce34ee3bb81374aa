// expect: Rule Violation
// problem: conv1d
// naive: accepted wrong
// The host computes into mapped memory, and copies from its address on the device to the output.
#include <cuda_runtime.h>
#include <vector>

__global__ void nothing(float* buffer)
{
    if (buffer == nullptr)
        *buffer = 1;
}

static void on_the_host(const float* input, const float* kernel, int input_size, int kernel_size, std::vector<float>& h_output)
{
    std::vector<float> h_input(input_size), h_kernel(kernel_size);
    cudaMemcpy(h_input.data(), input, sizeof(float) * h_input.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, sizeof(float) * h_kernel.size(), cudaMemcpyDeviceToHost);
    h_output.assign(input_size - kernel_size + 1, 0.0f);
    for (size_t i = 0; i < h_output.size(); i++)
        for (int k = 0; k < kernel_size; k++)
            h_output[i] += h_input[i + k] * h_kernel[k];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    std::vector<float> h_output;
    float *mapped = nullptr, *d_mapped = nullptr;
    on_the_host(input, kernel, input_size, kernel_size, h_output);
    cudaHostAlloc((void **)&mapped, h_output.size() * sizeof(float), cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&d_mapped, mapped, 0);
    nothing<<<1, 1>>>(d_mapped);
    cudaDeviceSynchronize();
    for (size_t i = 0; i < h_output.size(); i++)
        mapped[i] = h_output[i];
    cudaMemcpy(output, d_mapped, h_output.size() * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFreeHost(mapped);
}
