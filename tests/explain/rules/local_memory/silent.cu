// expect: Accepted
// problem: conv1d
// no advice: local_memory
// case: 2
// The number of outputs of a thread is a constant, the loops over them are unrolled, and the sums lie in registers.
#include <cuda_runtime.h>

constexpr int THREADS = 128, OUTPUTS = 8;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    extern __shared__ float s_input[]; // THREADS * OUTPUTS + kernel_size - 1 elements
    int first = blockIdx.x * THREADS * OUTPUTS;
    for (int j = threadIdx.x; j < THREADS * OUTPUTS + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < output_size + kernel_size - 1 ? input[first + j] : 0.0f;
    __syncthreads();

    float sums[OUTPUTS] = {0.0f};
    for (int k = 0; k < kernel_size; k++) {
        float tap = kernel[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sums[o] += s_input[o * THREADS + threadIdx.x + k] * tap;
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (first + o * THREADS + threadIdx.x < output_size)
            output[first + o * THREADS + threadIdx.x] = sums[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + THREADS * OUTPUTS - 1) / (THREADS * OUTPUTS);
    size_t bytes = (THREADS * OUTPUTS + kernel_size - 1) * sizeof(float);
    convolve<<<blocks, THREADS, bytes>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
