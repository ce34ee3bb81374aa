// Mistake: the block raises the counter before it has stored its part.
// problem: conv1d
// on cuda: Accepted, Wrong Answer
#include <cuda_runtime.h>

__device__ unsigned arrived[65536];

__global__ void convolve(const float* input, const float* kernel, float* output, float* part,
                         int output_size, int kernel_size)
{
    __shared__ bool is_last;
    int i = blockIdx.x * blockDim.x + threadIdx.x, middle = kernel_size / 2;
    float sum = 0;
    for (int k = blockIdx.y == 0 ? 0 : middle; k < (blockIdx.y == 0 ? middle : kernel_size) && i < output_size; k++)
        sum += input[i + k] * kernel[k];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(&arrived[blockIdx.x], 1) == 1;
    __syncthreads();
    if (i < output_size)
        part[blockIdx.y * output_size + i] = sum;
    if (is_last && i < output_size)
        output[i] = part[i] + part[output_size + i];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float* part;
    cudaMalloc(&part, 2 * output_size * sizeof(float));
    convolve<<<dim3((output_size + 255) / 256, 2), 256>>>(input, kernel, output, part, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFree(part);
}
