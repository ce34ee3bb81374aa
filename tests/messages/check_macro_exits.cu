// expect: Run-Time Error
// says: launch of convolve<<<(1,1,1),(2048,1,1)>>>: invalid argument (2048 threads per block, at most 1024) (check_macro_exits.cu:28: `convolve<<<1, 2048>>>(input, kernel, output, output_size, kernel_size);`); after that, solve() did not return
// says: host code called exit() or _exit() (check_macro_exits.cu:29: `CHECK(cudaGetLastError());`)
// problem: conv1d
//
// A launch fails, and the usual macro ends the process.
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
    output[threadIdx.x] = 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<1, 2048>>>(input, kernel, output, output_size, kernel_size);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
