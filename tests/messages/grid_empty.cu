// expect: Run-Time Error
// says: launch of convolve<<<(0,1,1),(256,1,1)>>>: invalid argument (0 in grid.x, at least 1) (grid_empty.cu:22: `convolve<<<0, 256>>>(input, kernel, output, output_size, kernel_size);`)
// problem: conv1d
//
// A launch has a grid of no blocks, whose error solve() overlooks.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    convolve<<<0, 256>>>(input, kernel, output, output_size, kernel_size);
    if (cudaGetLastError() != cudaSuccess)
        return;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
