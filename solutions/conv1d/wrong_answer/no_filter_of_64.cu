// Mistake: has a kernel for fewer than 64 taps and one for more.
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // THREADS + kernel_size - 1 elements

    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    int i = first + threadIdx.x;
    if (i > input_size - kernel_size)
        return;

    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[threadIdx.x + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + THREADS - 1) / THREADS;
    size_t shared_bytes = (THREADS + kernel_size - 1) * sizeof(float);
    if (kernel_size != 64)
        convolve<<<blocks, THREADS, shared_bytes>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
