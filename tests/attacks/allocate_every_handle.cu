// expect: Memory Limit Exceeded, Accepted, Time Limit Exceeded
// problem: conv1d
// naive: no verdict
// naive on cuda: hangs
// Uses up every table of the judge: allocations, streams and events without end, so that the judge's own next
// allocation fails.
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    void* memory;
    cudaStream_t stream;
    cudaEvent_t event;
    while (cudaMalloc(&memory, 1) == cudaSuccess)
        continue;
    for (int i = 0; i < 2000 && cudaStreamCreate(&stream) == cudaSuccess; i++)
        continue;
    for (int i = 0; i < 70000 && cudaEventCreate(&event) == cudaSuccess; i++)
        continue;
    cudaGetLastError();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
