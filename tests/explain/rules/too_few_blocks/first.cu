// expect: Accepted
// problem: conv1d
// advice: too_few_blocks
// case: 2
// sketch: // one output per thread; or another number of at least
// A loop over the grid, started with as many blocks as a small GPU has multiprocessors.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < output_size; i += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<8, 1024>>>(input, kernel, output, input_size - kernel_size + 1, kernel_size);
    cudaDeviceSynchronize();
}
