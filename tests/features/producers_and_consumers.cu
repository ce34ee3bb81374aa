// problem: conv1d
// expect: Accepted
//
// The first half of each block loads the tile, arrives at barrier 1 and exits; the second half waits there for both. Then it
// waits for itself at barrier 2, which the last warp reaches with half of its threads: they count as a whole warp.
#include <cuda_runtime.h>

#define OUTPUTS 128
#define THREADS (2 * OUTPUTS)

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // OUTPUTS + kernel_size - 1 elements

    int first = blockIdx.x * (OUTPUTS - 16);
    if (threadIdx.x < OUTPUTS) {
        for (int j = threadIdx.x; j < OUTPUTS + kernel_size - 1; j += OUTPUTS)
            s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
        asm volatile("bar.arrive 1, %0;" ::"n"(THREADS) : "memory");
        return;
    }
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
    int i = threadIdx.x - OUTPUTS;
    if (i >= OUTPUTS - 16)
        return;
    for (int j = i; j < OUTPUTS - 16 + kernel_size - 1; j += OUTPUTS - 16)
        s_input[j] *= 2.0f;
    asm volatile("bar.sync 2, %0;" ::"n"(OUTPUTS) : "memory");
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[i + k] * kernel[k];
    sum *= 0.5f;
    if (first + i <= input_size - kernel_size)
        output[first + i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    size_t shared_bytes = (OUTPUTS + kernel_size - 1) * sizeof(float);
    convolve<<<(output_size + OUTPUTS - 17) / (OUTPUTS - 16), THREADS, shared_bytes>>>(input, kernel, output, input_size,
                                                                              kernel_size);
    cudaDeviceSynchronize();
}
