// Mistake: a member of a structure on the host is never set. The stack holds 0 there often enough for solve() to look
// right.
// problem: conv1d
#include <cuda_runtime.h>

struct Sizes {
    int outputs, taps, first;
};

__global__ void convolve(const float* input, const float* kernel, float* output, Sizes sizes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sizes.outputs)
        return;
    float sum = 0;
    for (int k = max(sizes.first, 0); k < sizes.taps; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sizes.first < 0 ? 0 : sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    Sizes sizes;
    sizes.outputs = input_size - kernel_size + 1;
    sizes.taps = kernel_size;
    convolve<<<(sizes.outputs + 255) / 256, 256>>>(input, kernel, output, sizes);
    cudaDeviceSynchronize();
}
