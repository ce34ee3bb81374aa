// expect: Judge Error
// says: a limit of the judge: it does not provide cudaMalloc3DArray for cubemaps
// problem: conv1d
//
// solve() needs an array for a cubemap.
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
    cudaArray_t cubes;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    if (cudaMalloc3DArray(&cubes, &channels, make_cudaExtent(8, 8, 6), cudaArrayCubemap) != cudaSuccess)
        return;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, 0);
    cudaDeviceSynchronize();
}
