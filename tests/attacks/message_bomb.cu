// expect: Compile Error
// problem: conv1d
// naive: no memory left
// One mistake, whose message names a type of a hundred million letters.
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

template <class A, class B> struct P {};
template <int N> struct Q { using T = P<typename Q<N - 1>::T, typename Q<N - 1>::T>; };
template <> struct Q<0> { using T = int; };
Q<25>::T mistake = "";

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
