// expect: Run-Time Error
// on cuda: Run-Time Error, Compile Error, Wrong Answer, Accepted
// problem: conv1d
// naive: does not apply: on a GPU the parameters lie in a memory of their own
// Reads beyond its kernel's parameters, which on the simulated GPU lie in the memory of the broker, and stores what it
// finds there.
#include <cuda_runtime.h>

extern "C" __global__ void overread(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    unsigned near_by, far_away;
    asm volatile("ld.param.u32 %0, [overread_param_0+1024];" : "=r"(near_by));
    asm volatile("ld.param.u32 %0, [overread_param_0+1073741824];" : "=r"(far_away));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = near_by + far_away == 12345 ? 0 : sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    overread<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
