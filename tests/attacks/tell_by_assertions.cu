// expect: Run-Time Error
// problem: conv1d
// naive: does not apply: it keeps no data secret
// Tells its author a number of the hidden data, in the words of an assertion: 318 characters a case, file name and line number included.
#include <cuda_runtime.h>
#include <stdint.h>

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

extern "C" __device__ void __assertfail(const char* text, const char* file, unsigned line, const char* function, size_t size);

__device__ char words[40];

__global__ void assert_a_number(float value)
{
    uint32_t bits = __float_as_uint(value);
    for (int i = 0; i < 32; i++)
        words[i] = bits >> i & 1 ? 'a' : 'b';
    __assertfail(words, words, bits, words, 1);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float value = 0;
    if (input_size > 8) // no sample case
        cudaMemcpy(&value, input + 2, sizeof value, cudaMemcpyDefault);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    if (input_size > 8)
        assert_a_number<<<1, 1>>>(value);
    cudaDeviceSynchronize();
}
