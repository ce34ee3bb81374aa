// Mistake: reads 16 bytes at once from addresses that are multiples of 4 only.
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;

    float sum = 0.0f;
    int k = 0;
    for (; k + 4 <= kernel_size; k += 4) {
        float4 four = *reinterpret_cast<const float4*>(input + i + k);
        sum += four.x * kernel[k] + four.y * kernel[k + 1] + four.z * kernel[k + 2] + four.w * kernel[k + 3];
    }
    for (; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
