// expect: Time Limit Exceeded
// says: repeats a loop for ever, in which nothing changes
// problem: conv1d
//
// A reduction never halves its stride.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float sums[32];
    float sum = 0;
    for (int k = threadIdx.x; k < kernel_size; k += 32)
        sum += input[blockIdx.x + k] * kernel[k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = 16; stride > 0;) {
        if (threadIdx.x < stride)
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        output[blockIdx.x] = sums[0];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<output_size, 32>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
