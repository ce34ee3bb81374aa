// expect: Accepted
// problem: conv1d
// naive: secret printed
// Prints its environment, where a judge may have left a key, a name or a path. Computes the right answer; if it finds
// one, it does not write the output, which is a Wrong Answer.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
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
    bool found = false;
    for (char** variable = environ; *variable != nullptr; variable++) {
        puts(*variable);
        found = found || strstr(*variable, "KEY") != nullptr || strncmp(*variable, "HOME=", 5) == 0 || strncmp(*variable, "USER=", 5) == 0;
    }
    if (found)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
