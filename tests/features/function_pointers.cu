// problem: conv1d
// expect: Accepted
//
// Pointers to functions: from a table in constant memory, from one in global memory, and from a kernel's parameter that
// the host has copied from the device. Each function handles another number of taps.
#include <cuda_runtime.h>

typedef float (*Dot)(const float* input, const float* kernel, int count);

template <int STEP> __device__ float dot_by(const float* input, const float* kernel, int count)
{
    float sum = 0.0f;
    for (int k = 0; k + STEP <= count; k += STEP)
        for (int j = 0; j < STEP; j++)
            sum += input[k + j] * kernel[k + j];
    for (int k = count / STEP * STEP; k < count; k++)
        sum += input[k] * kernel[k];
    return sum;
}

__constant__ Dot c_dots[2] = {dot_by<1>, dot_by<2>};
__device__ Dot d_dots[2] = {dot_by<4>, dot_by<8>};
__device__ Dot d_last = dot_by<16>;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         Dot last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    int part = kernel_size / 3;
    float sum = c_dots[blockIdx.x % 2](input + i, kernel, part);
    sum += d_dots[i % 2](input + i + part, kernel + part, part);
    sum += last(input + i + 2 * part, kernel + 2 * part, kernel_size - 2 * part);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    Dot last;
    cudaMemcpyFromSymbol(&last, d_last, sizeof last);
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, last);
}
