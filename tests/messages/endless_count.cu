// expect: Time Limit Exceeded
// says: instructions of its block, perhaps in an endless loop
// problem: conv1d
//
// A loop never comes to its end, and counts.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    volatile unsigned int turns = 0;
    for (int k = 0; k != -1; turns = turns + 1) {
        sum += input[i + k] * kernel[k];
        k = turns % kernel_size;
    }
    output[i] = sum + turns;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
