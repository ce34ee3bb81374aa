// Mistake: the halo stops one element too early, so the last input counts as zero where it lies in a halo.
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[];

    int first = blockIdx.x * THREADS;
    s_input[threadIdx.x] = first + threadIdx.x < input_size ? input[first + threadIdx.x] : 0.0f;
    for (int j = THREADS + threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < input_size - 1 ? input[first + j] : 0.0f;
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
    convolve<<<blocks, THREADS, shared_bytes>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
