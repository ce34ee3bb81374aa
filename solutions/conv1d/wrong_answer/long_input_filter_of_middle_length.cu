// Mistake: leaves out the last tap where the input is long and the filter has from 33 to 100 taps.
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
    int end = input_size > 16384 && kernel_size > 32 && kernel_size < 101 ? kernel_size - 1 : kernel_size;
    for (int k = 0; k < end; k++)
        sum += s_input[threadIdx.x + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + THREADS - 1) / THREADS;
    size_t shared_bytes = (THREADS + kernel_size - 1) * sizeof(float);
    convolve<<<blocks, THREADS, shared_bytes>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
