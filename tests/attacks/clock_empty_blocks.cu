// expect: Accepted
// problem: conv1d
// naive: does not apply: its clock counts nothing but instructions of PTX
// One multiprocessor has two of 133 blocks, and the others have one. Here 131 blocks more end at once, so that all would
// have two, if the load were divided by the number of blocks. It must not be faster than without them (HONEST).
#include <cuda_runtime.h>

constexpr int WORKING = 133;

__global__ void convolve(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
                         int output_size, int kernel_size)
{
    if (blockIdx.x >= WORKING)
        return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < output_size; i += WORKING * blockDim.x) {
        float sum = 0;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
#ifdef HONEST
    int blocks = WORKING;
#else
    int blocks = WORKING + 131;
#endif
    convolve<<<blocks, 1024>>>(input, kernel, output, input_size - kernel_size + 1, kernel_size);
    cudaDeviceSynchronize();
}
