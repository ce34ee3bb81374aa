// expect: Accepted
// problem: conv1d
// advice: double_precision
// case: 2
// The literals have no f, so that each input is multiplied and divided as a double.
#include <cuda_runtime.h>

__global__ void conv(const float* input, const float* kernel, float* output, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * 1.1 / 1.1 * kernel[k]; // here
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int n = input_size - kernel_size + 1;
    conv<<<(n + 255) / 256, 256>>>(input, kernel, output, n, kernel_size);
    cudaDeviceSynchronize();
}
