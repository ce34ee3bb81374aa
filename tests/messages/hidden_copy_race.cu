// expect: Run-Time Error
// says: a kernel uses shared memory before a cp.async or a bulk copy into it has been waited for, or changes what a bulk copy still reads
// problem: conv1d
//
// In a hidden case, a thread reads what cp.async may still be copying.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large)
{
    __shared__ float tap;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (is_large && threadIdx.x == 0) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(&tap)), "l"(kernel));
        asm volatile("cp.async.commit_group;" ::: "memory");
        i += tap > 1e9f;
    }
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20);
    cudaDeviceSynchronize();
}
