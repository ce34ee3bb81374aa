// expect: Accepted
// problem: conv1d
// naive: does not apply: only this judge has these functions; swallow_launches.cu is the same idea
// Defines the functions by which this judge's runtime library talks to its runner, which would then get other answers.
#include <cuda_runtime.h>

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

extern "C" bool convjudge_attach(int) { return true; }
extern "C" void convjudge_loading() {}
extern "C" void convjudge_loaded(const char*) {}
extern "C" void convjudge_next_call(unsigned long long*, size_t) {}
extern "C" void convjudge_returned() {}
extern "C" void convjudge_memory_refused() {}
extern "C" bool ring_send() { return true; }

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
