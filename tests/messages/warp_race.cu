// expect: Run-Time Error
// says: of its warp has written with no __syncthreads() or __syncwarp() in between
// problem: conv1d
//
// A thread reads what another thread of its warp has written, with no __syncthreads() or __syncwarp() in between.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float place[256];
    place[threadIdx.x] = i;
    i += place[threadIdx.x ^ 1] < 0;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
