// expect: Run-Time Error
// on cuda: Wrong Answer, Run-Time Error
// problem: conv1d
// naive: does not apply: it has one size, which it both checks and times
// Leaves the barriers out in the sizes that are timed. On the simulated GPU the warps of a block take turns in an order
// that hides it.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         bool is_timed)
{
    __shared__ float taps[2048];
    for (int i = threadIdx.x; i < kernel_size; i += THREADS)
        taps[i] = kernel[i];
    if (!is_timed)
        __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * taps[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(input, kernel, output, outputs, kernel_size,
                                                            input_size >= 1000000);
    cudaDeviceSynchronize();
}
