// expect: Wrong Answer, Rule Violation, Integrity Violation, Run-Time Error
// problem: conv1d
// naive: accepted faster
// Overwrites the first input with a mark once it has computed the output. If the same input comes again, the mark says
// that the output is still there.
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

static const float MARK = -12345.25f;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float first;
    cudaMemcpy(&first, input, sizeof first, cudaMemcpyDeviceToHost);
    if (first == MARK)
        return;
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaMemcpy((float*)input, &MARK, sizeof MARK, cudaMemcpyHostToDevice);
}
