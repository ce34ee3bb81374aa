// expect: Accepted, Wrong Answer, Run-Time Error
// problem: conv1d
// naive: does not apply: it has no constant memory and no rule about it
// Has a kernel write over constant memory, at the address that the host can ask for. A judge that checks which memory a
// filter is read from would see one thing, and the kernel another.
#include <cuda_runtime.h>

__constant__ float filter[2048];

__global__ void fill(float* constant, const float* kernel, int kernel_size)
{
    for (int k = threadIdx.x; k < kernel_size; k += blockDim.x)
        constant[k] = kernel[k];
}

__global__ void convolve(const float* input, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * filter[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float* constant;
    cudaGetSymbolAddress((void**)&constant, filter);
    fill<<<1, 256>>>(constant, kernel, kernel_size);
    convolve<<<(input_size + 255) / 256, 256>>>(input, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
