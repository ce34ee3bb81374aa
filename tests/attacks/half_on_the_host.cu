// expect: Rule Violation
// problem: conv1d
// naive: accepted wrong
// A kernel computes every second output, and the host all others, which it copies in between column by column.
#include <cuda_runtime.h>
#include <vector>

__global__ void even(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
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
    int count = input_size - kernel_size + 1;
    on_the_host(input, kernel, input_size, kernel_size, h_output);
    even<<<((count + 1) / 2 + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    if (count > 1)
        cudaMemcpy2D(output + 1, 2 * sizeof(float), h_output.data() + 1, 2 * sizeof(float), sizeof(float), count / 2,
                     cudaMemcpyHostToDevice);
}
