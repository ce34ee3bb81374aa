// expect: Accepted
// problem: conv1d
// naive: succeeds
// Asks the preprocessor with __has_include which of the judge's files exist. Computes the right answer; if the attack
// works, it does not write the output, which is a Wrong Answer.
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

#if __has_include("../../testcases/conv1d/hidden.json") || __has_include("testcases/conv1d/hidden.json") || \
    __has_include("/proc/self/maps") || __has_include("/etc/passwd") || __has_include("/root/.bashrc") || \
    __has_include("/tmp/submission.cu") || __has_include("/out/submission.o")
constexpr bool found = true;
#else
constexpr bool found = false;
#endif

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (found)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
