// expect: Wrong Answer, Run-Time Error
// problem: conv1d
// naive: accepted wrong
// naive on sim: does not apply: new memory of the simulated GPU holds no zeros
// Takes memory that it has just allocated for zeros, which it is in a young process, and adds to it.
#include <cuda_runtime.h>

__global__ void convolve(const float* zeros, const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = zeros[i];
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static float* zeros;
static int size;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (size != input_size) {
        cudaFree(zeros);
        cudaMalloc(&zeros, sizeof(float) * input_size);
        size = input_size;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(zeros, input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
