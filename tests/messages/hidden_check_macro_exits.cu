// expect: Run-Time Error
// says: a kernel cannot be launched: its block has more than 1024 threads (hidden_check_macro_exits.cu:35: `convolve<<<blocks, threads>>>(input, kernel, output, output_size, kernel_size);`); also: solve() did not return: its process ended, by a crash, a signal or an exit
// problem: conv1d
//
// In a hidden case, a launch fails, and the usual macro ends the process.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int threads = input_size > 20 ? 2048 : 128;
    int blocks = (output_size + threads - 1) / threads;
    convolve<<<blocks, threads>>>(input, kernel, output, output_size, kernel_size);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
