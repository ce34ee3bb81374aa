// expect: Run-Time Error
// says: of shared variable 'place', where thread (0,0,0) writes another value at the same time
// says: shared variable 'place', where thread (0,0,0) writes another value at the same time
// problem: conv1d
//
// Two threads of a warp write different values to the same place at the same time.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int place;
    if (threadIdx.x < 32)
        place = threadIdx.x;
    __syncthreads();
    i += place < 0;
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
