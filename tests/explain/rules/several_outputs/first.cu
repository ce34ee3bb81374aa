// expect: Accepted
// problem: conv1d
// advice: several_outputs
// case: 2
// sketch: // window[o]: the element for output o
// sketch: float tap = kernel[...]; // loop over the taps of a row
// sketch: for (int o = 0; o < 8; o++) sum[o] += window[o] * tap; // #pragma unroll
// sketch: for (int o = 0; o < 7; o++) window[o] = window[o + 1]; // #pragma unroll
// sketch: still hold the previous elements; fill them before the loop
// One output a thread: every multiply-add waits for two loads, though they come from shared memory.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    extern __shared__ float s_input[];
    float* s_kernel = s_input + THREADS + kernel_size - 1;
    int first = blockIdx.x * THREADS, i = first + threadIdx.x;
    for (int j = threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < output_size + kernel_size - 1 ? input[first + j] : 0.0f;
    for (int k = threadIdx.x; k < kernel_size; k += THREADS)
        s_kernel[k] = kernel[k];
    __syncthreads();

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * s_kernel[k];
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    size_t bytes = (THREADS + 2 * kernel_size - 1) * sizeof(float);
    convolve<<<(output_size + THREADS - 1) / THREADS, THREADS, bytes>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
