// expect: Accepted
// problem: conv1d
// naive: no verdict
// Makes a million empty files: no limit counts what the kernel keeps for each. The verdict is Accepted where it cannot make
// even a few thousand.
#include <cuda_runtime.h>
#include <fcntl.h>
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    for (int number = 0; number < 1000000; number++) {
        char path[32];
        snprintf(path, sizeof path, "/tmp/%d", number);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        if (file < 0)
            break;
        close(file);
        if (number == 5000)
            _exit(1);
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
