// expect: Accepted
// problem: conv1d
// Keeps a few bytes from its first call on. Before them it leaves a gap that holds a short filter, but nothing larger.
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

static void* kept;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (kept == nullptr) {
        void* first;
        cudaMalloc(&first, 16);
        cudaMalloc(&kept, 16);
        cudaFree(first);
    }
    convolve<<<(input_size - kernel_size + 256) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
