// expect: Run-Time Error
// says: begins a bulk copy whose addresses and size are not all multiples of 16 bytes
// problem: conv1d
//
// A bulk copy of three floats, whose size is not a multiple of 16 bytes.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
{
    __shared__ alignas(16) float taps[4];
    __shared__ alignas(8) unsigned long long arrived;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        unsigned to = (unsigned)__cvta_generic_to_shared(taps), barrier = (unsigned)__cvta_generic_to_shared(&arrived);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];" ::"r"(to), "l"(input), "r"(barrier), "r"(4 * kernel_size) : "memory");
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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
