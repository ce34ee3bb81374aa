// expect: Wrong Answer, Rule Violation, Run-Time Error, Time Limit Exceeded
// problem: conv1d
// naive: hangs
// Returns from its second call by jumping into the first one, whose frame is gone: the judge finds itself where it
// called solve() first.
#include <cuda_runtime.h>
#include <setjmp.h>

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

static jmp_buf first;
static bool called;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (called)
        longjmp(first, 1);
    called = true;
    if (setjmp(first) != 0)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
