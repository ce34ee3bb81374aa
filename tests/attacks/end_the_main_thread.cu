// expect: Time Limit Exceeded, Run-Time Error
// problem: conv1d
// naive: hangs
// Ends the main thread while another one sleeps: the process has neither ended nor will it go on, and its parent is
// told nothing.
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

static void* sleeper(void*)
{
    for (;;)
        pause();
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    pthread_t thread;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
    if (pthread_create(&thread, nullptr, sleeper, nullptr) == 0)
        pthread_exit(nullptr);
}
