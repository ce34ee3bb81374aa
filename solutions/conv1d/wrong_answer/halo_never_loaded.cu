// Mistake: a block loads as many elements as it has threads into shared memory and leaves the halo as it is: whatever the
// block before on this multiprocessor left there.
// says: a kernel reads memory that nothing has written
// problem: conv1d
#include <cuda_runtime.h>

#define THREADS 256

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // THREADS + kernel_size - 1 elements

    int i = blockIdx.x * THREADS + threadIdx.x;
    s_input[threadIdx.x] = i < input_size ? input[i] : 0.0f;
    __syncthreads();
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
