// problem: conv1d
// expect: Accepted
//
// Virtual functions: half of the threads hold a filter that goes from its first tap to its last, the others one that
// goes back, so that the calls of a warp lead to two functions.
#include <cuda_runtime.h>

struct Filter {
    const float* taps;
    int count;
    __device__ Filter(const float* t, int c) : taps(t), count(c) {}
    __device__ virtual float dot(const float* input) const = 0;
};

struct Forwards : Filter {
    __device__ Forwards(const float* t, int c) : Filter(t, c) {}
    __device__ float dot(const float* input) const override
    {
        float sum = 0.0f;
        for (int k = 0; k < count; k++)
            sum += input[k] * taps[k];
        return sum;
    }
};

struct Backwards : Filter {
    __device__ Backwards(const float* t, int c) : Filter(t, c) {}
    __device__ float dot(const float* input) const override
    {
        float sum = 0.0f;
        for (int k = count - 1; k >= 0; k--)
            sum += input[k] * taps[k];
        return sum;
    }
};

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Forwards forwards(kernel, kernel_size);
    Backwards backwards(kernel, kernel_size);
    const Filter* filter = i % 2 == 0 ? (const Filter*)&forwards : (const Filter*)&backwards;
    if (i < output_size)
        output[i] = filter->dot(input + i);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
}
