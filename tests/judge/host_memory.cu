// expect: Memory Limit Exceeded
// Mistake: fills 8 GiB of host memory.
// says: the host code asked for more memory than its limit of 2048 MiB
// problem: conv1d
#include <vector>
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
    std::vector<char> products((size_t)8 << 30, 1);
    int output_size = input_size - kernel_size + products[input_size];
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
