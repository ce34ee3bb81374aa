// expect: Accepted
// problem: conv1d
// naive: no verdict
// Fills its own /tmp to the brim, in many files.
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
    static char block[1 << 16];
    for (int number = 0; number < 2000; number++) {
        char path[32];
        snprintf(path, sizeof path, "/tmp/%d", number);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        bool full = file < 0 || write(file, block, sizeof block) < 0;
        close(file);
        if (full)
            break;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
