// expect: Accepted, Run-Time Error, Memory Limit Exceeded, Time Limit Exceeded
// problem: conv1d
// naive: succeeds
// Starts threads until no more can be started, and keeps them. If there are more than 64, it does not write the output.
#include <cuda_runtime.h>
#include <pthread.h>
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

static void* wait_for_ever(void*)
{
    for (;;)
        pause();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    pthread_t thread;
    static int count;
    while (pthread_create(&thread, nullptr, wait_for_ever, nullptr) == 0)
        count++;
    if (count > 64)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
