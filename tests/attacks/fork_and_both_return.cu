// expect: Accepted
// problem: conv1d
// naive: succeeds
// naive on sim: does not apply: the simulated GPU serves one process
// Forks, so that two processes return from solve(). Computes the right answer; if the attack works, it does not write
// the output, which is a Wrong Answer.
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (fork() >= 0)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
