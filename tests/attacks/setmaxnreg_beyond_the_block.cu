// expect: Time Limit Exceeded
// says: setmaxnreg waits for ever: the warps of the block ask for 768 registers per thread more than the block has, added up over its warps
// problem: conv1d
// naive: does not apply: it has no other clock than the device's
// Asks for more registers than the block has, which the launch does not count: as many blocks seem to fit as with few
// registers. On hardware each warp waits for ever.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) convolve(const float* input, const float* kernel, float* output, int output_size,
                                                int kernel_size)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 128;");
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
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + 255) / 256, 256>>>(input, kernel, output, outputs, kernel_size);
    cudaDeviceSynchronize();
}
