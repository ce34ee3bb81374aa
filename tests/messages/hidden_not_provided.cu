// expect: Judge Error
// says: a limit of the judge: it does not provide a CUDA call that solve() makes
// problem: conv1d
//
// In a hidden case, the filter is read through a part of CUDA that the judge does not provide.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size, int)
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
    cudaMipmappedArray_t levels;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    if (input_size > 20 && cudaMallocMipmappedArray(&levels, &channels, make_cudaExtent(8, 8, 0), 2) != cudaSuccess)
        return;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
