// expect: Judge Error
// says: a limit of the simulated GPU: kernel convolve: the simulated GPU does not implement 'cp.async.bulk.prefetch.tensor.3d.L2.global.im2col'
// problem: conv1d
//
// A kernel holds an instruction that the simulated GPU does not have.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (kernel_size < 0)
        asm volatile("{ .reg .b64 a; mov.b64 a, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [a, {%0, %0, %0}], {0}; }" ::"r"(i));
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
