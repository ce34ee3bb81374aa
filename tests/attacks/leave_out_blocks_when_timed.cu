// expect: Wrong Answer
// problem: conv1d
// naive: does not apply: it compares all of the one output that it has
// Leaves out every 64th block of the timed cases, in the hope that the judge looks at a part of the output only.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         bool is_timed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size || (is_timed && blockIdx.x % 64 == 33))
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + 255) / 256, 256>>>(input, kernel, output, outputs, kernel_size, input_size >= 1000000);
    cudaDeviceSynchronize();
}
