// expect: Rule Violation
// problem: conv1d
// naive: accepted wrong
// A kernel computes most outputs. The host computes one in a hundred, and writes each byte of these by a cudaMemset of its own,
// which takes no data from the host.
#include <cuda_runtime.h>
#include <vector>

#define ONE_IN 100

__global__ void most(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size || i % ONE_IN == 0)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    std::vector<float> h_input(input_size), h_kernel(kernel_size);
    cudaMemcpy(h_input.data(), input, sizeof(float) * h_input.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, sizeof(float) * h_kernel.size(), cudaMemcpyDeviceToHost);
    most<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    for (int i = 0; i <= input_size - kernel_size; i += ONE_IN) {
        float sum = 0;
        for (int k = 0; k < kernel_size; k++)
            sum += h_input[i + k] * h_kernel[k];
        const unsigned char* bytes = (const unsigned char*)&sum;
        for (size_t byte = 0; byte < sizeof sum; byte++)
            cudaMemset((char*)(output + i) + byte, bytes[byte], 1);
    }
}
