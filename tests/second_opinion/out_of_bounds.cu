// problem: conv1d
// expect: Run-Time Error
// on cuda: Accepted
//
// Loads the tile of the last block past the end of the input. On a real GPU other memory lies there, and no output
// depends on it.
#include <cuda_runtime.h>

#define BLOCK 256
#define MAX_TAPS 2047

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float tile[BLOCK + MAX_TAPS];
    int first = blockIdx.x * BLOCK;
    for (int k = threadIdx.x; k < BLOCK + kernel_size - 1; k += BLOCK)
        tile[k] = input[first + k];
    __syncthreads();

    int i = first + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += tile[threadIdx.x + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + BLOCK - 1) / BLOCK, BLOCK>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
