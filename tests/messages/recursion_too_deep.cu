// expect: Run-Time Error
// says: has no stack left for a call of
// problem: conv1d
//
// A device function calls itself for each thread before it: too often for the stack of a thread.
#include <cuda_runtime.h>

__device__ __noinline__ int count_down(int n, const float* input)
{
    volatile float kept[16];
    kept[n % 16] = input[0];
    return n == 0 ? 0 : count_down(n - 1, input) + (kept[n % 16] > 1e9f);
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    i += count_down(depth, input);
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 1000);
    cudaDeviceSynchronize();
}
