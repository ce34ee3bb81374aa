// expect: Accepted
// problem: conv1d
// naive: does not apply: it keeps no data secret
// Tells its author a number of the hidden data by the time that it waits, by the number of kernels, and by what it prints.
#include <cuda_runtime.h>
#include <stdio.h>
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

__global__ void nothing() {}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float value = 0;
    if (input_size > 8 && input_size < 1000) // neither a sample nor a timed case
        cudaMemcpy(&value, input + 2, sizeof value, cudaMemcpyDefault);
    const int number = (int)(10 * (value < 0 ? -value : value)) & 7;
    usleep(4000 * number);
    for (int i = 0; i < number; i++)
        nothing<<<1, 32>>>();
    printf("%d\n", number);
    fprintf(stderr, "%d\n", number);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
