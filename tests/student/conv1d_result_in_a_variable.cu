// expect: Accepted
// problem: conv1d
// Keeps the result in a __device__ array and copies it from that symbol, what does not fit there by cudaMemcpyPeer.
#include <cuda_runtime.h>

#define ROOM 4096
__device__ float d_result[ROOM];

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
    int count = input_size - kernel_size + 1, first = count < ROOM ? count : ROOM;
    float *result = nullptr, *own = nullptr;
    cudaGetSymbolAddress((void**)&result, d_result);
    convolve<<<(first + 255) / 256, 256>>>(input, kernel, result, first + kernel_size - 1, kernel_size);
    cudaMemcpyFromSymbol(output, d_result, first * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    if (count == first)
        return;
    cudaMalloc(&own, (count - first) * sizeof(float));
    convolve<<<(count - first + 255) / 256, 256>>>(input + first, kernel, own, input_size - first, kernel_size);
    cudaMemcpyPeer(output + first, 0, own, 0, (count - first) * sizeof(float));
    cudaFree(own);
}
