// expect: Run-Time Error
// says: where block (0,0,0) writes another value: blocks run in any order
// problem: conv1d
//
// Each block counts itself, but not only the last one adds up the sums of all blocks.
#include <cuda_runtime.h>

__device__ unsigned int counted[4096];
__device__ float sums[4][16384];

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ volatile unsigned int before;
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = kernel_size * blockIdx.y / 4, to = kernel_size * (blockIdx.y + 1) / 4;
    float sum = 0;
    for (int k = from; k < to && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        sums[blockIdx.y][i] = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        before = atomicInc(&counted[blockIdx.x], 3);
    __syncthreads();
    if (i < output_size)
        output[i] = sums[0][i] + sums[1][i] + sums[2][i] + sums[3][i];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<dim3((output_size + 255) / 256, 4), 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
