// expect: Run-Time Error
// says: solve() did not return: the process ended with exit status 3: host code called exit() or _exit() (host_exit_at_once.cu:26: `_exit(3);`)
// problem: conv1d
//
// In a sample case, host code gives up by _exit().
#include <cuda_runtime.h>

#include <unistd.h>

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
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    if (input_size > 0) {
        _exit(3);
    }
    cudaDeviceSynchronize();
}
