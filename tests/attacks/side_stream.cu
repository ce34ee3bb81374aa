// expect: Accepted
// problem: conv1d
// naive: accepted faster
// Does the work on a stream of its own, for which events on the default stream do not wait, and returns without waiting
// for it.
#include <cuda_runtime.h>

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

static cudaStream_t stream;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (stream == nullptr)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    convolve<<<(input_size + 255) / 256, 256, 0, stream>>>(input, kernel, output, input_size, kernel_size);
}
