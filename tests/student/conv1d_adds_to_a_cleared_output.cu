// expect: Accepted
// problem: conv1d
// Clears the output by cudaMemset. Each input then adds its products to all outputs that it touches; zeros add nothing.
#include <cuda_runtime.h>

__global__ void scatter(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= input_size || input[i] == 0.0f)
        return;
    for (int k = 0; k < kernel_size; k++)
        if (i >= k && i - k <= input_size - kernel_size && kernel[k] != 0.0f)
            atomicAdd(&output[i - k], input[i] * kernel[k]);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    cudaMemset(output, 0, (input_size - kernel_size + 1) * sizeof(float));
    scatter<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
