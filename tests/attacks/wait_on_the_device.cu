// expect: Accepted, Time Limit Exceeded
// problem: conv1d
// naive: does not apply: the naive judge has only one case, and waiting gains nothing but the judge's time
// Like wait_in_each_call.cu, but a kernel waits for 2 s in each call, while solve() waits for nothing. On a real GPU the
// budget of the grading must end it (tests/gpu.sh). Sleeping takes no time on the simulated GPU.
#include <cuda_runtime.h>

__global__ void wait_long()
{
    for (int i = 0; i < 2000; i++)
        __nanosleep(1000000); // the longest sleep that there is
}

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
    wait_long<<<1, 1>>>();
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
}
