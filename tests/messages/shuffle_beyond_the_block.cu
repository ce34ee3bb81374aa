// expect: Wrong Answer
// says: takes the value of lane 16 of its warp, which does not exist, since the block ends before it
// problem: conv1d
//
// A block of 16 threads has half a warp, and a shuffle takes the value of the thread behind its last one.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = __shfl_down_sync(0xffff, i, 1);
    if (i >= output_size)
        return;
    float sum = next == i + 1 ? 0 : 1;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 15) / 16, 16>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
