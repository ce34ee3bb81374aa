// Mistake: each thread loads one element too many into its window, whose end is the beginning of its taps. The output is
// right only because the taps are loaded afterwards.
// says: a kernel writes past the end of local array 'window'
// on cuda: Accepted, Wrong Answer
// problem: conv1d
#include <cuda_runtime.h>

#define TAPS 8

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    float window[TAPS], taps[TAPS];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0.0f;
    for (int first = 0; first < kernel_size; first += TAPS) {
        int count = min(TAPS, kernel_size - first);
#pragma unroll 1
        for (int k = 0; k <= count; k++)
            window[k] = i + first + k < input_size ? input[i + first + k] : 0.0f;
#pragma unroll 1
        for (int k = 0; k < count; k++)
            taps[k] = kernel[first + k];
#pragma unroll 1
        for (int k = 0; k < count; k++)
            sum += window[k] * taps[k];
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
