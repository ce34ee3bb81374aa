// expect: Accepted
// problem: conv1d
// naive: no verdict
// Defines functions that the judge calls: a clock, an allocator, exit().
// They exist only in the submission's own process.
#include <cuda_runtime.h>
#include <time.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept
{
    *now = {};
    return 0;
}

extern "C" void* malloc(size_t) noexcept
{
    return nullptr;
}

extern "C" void _exit(int) noexcept
{
    for (;;) {
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
