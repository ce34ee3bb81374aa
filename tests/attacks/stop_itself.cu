// expect: Time Limit Exceeded
// problem: conv1d
// naive: hangs
// Stops its own process with SIGSTOP, which no handler ends.
#include <cuda_runtime.h>
#include <signal.h>
#include <unistd.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    kill(getpid(), SIGSTOP);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
