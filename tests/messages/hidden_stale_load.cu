// expect: Run-Time Error
// says: a kernel reads memory through the read-only cache (__ldg(), or a const __restrict__ pointer) that it writes as well
// problem: conv1d
//
// In hidden cases, a thread reads back its own sum through the read-only cache.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, bool is_large)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    output[i] = 0;
    for (int k = 0; k < kernel_size; k++) {
        float before = output[i];
        if (is_large)
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(before) : "l"(__cvta_generic_to_global(output + i)) : "memory");
        output[i] = before + input[i + k] * kernel[k];
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 20);
    cudaDeviceSynchronize();
}
