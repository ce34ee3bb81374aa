// expect: Accepted
// problem: conv1d
// naive: no verdict
// Prints so much that nothing can be kept of it, the verdict included.
#include <cuda_runtime.h>
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

static char noise[1 << 20];

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool printed;
    for (int i = 0; i < 65 && !printed; i++)
        if (write(1, noise, sizeof noise) < 0)
            break;
    printed = true;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
