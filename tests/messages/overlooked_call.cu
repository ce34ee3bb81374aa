// expect: Accepted
// says: a CUDA call failed, though the output was right: cudaMemset: invalid argument (overlooked_call.cu:22: `cudaMemset(output, 0, 1ull << 50);`)
// problem: conv1d
//
// A call fails, and solve() does not look.
#include <cuda_runtime.h>

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
    cudaMemset(output, 0, 1ull << 50);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
