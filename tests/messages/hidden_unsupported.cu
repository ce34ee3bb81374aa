// expect: Judge Error
// says: a limit of the judge: this device does not have what the GPU code uses
// problem: conv1d
//
// In a hidden case, a kernel is launched that holds an instruction that the simulated GPU does not have.
#include <cuda_runtime.h>

__global__ void prefetch()
{
    asm volatile("{ .reg .b64 a; mov.b64 a, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [a, {%0, %0, %0}], {0}; }" ::"r"(threadIdx.x));
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
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
    if (input_size > 20)
        prefetch<<<1, 1>>>();
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
