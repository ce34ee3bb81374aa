// expect: Run-Time Error
// Mistake: the first half of the block loads the tile and arrives at barrier 1, but the second half waits at barrier 2,
// where too few threads arrive. It goes on when the others have exited, which PTX promises only of __syncthreads().
// says: has written with no barrier in between
// on cuda: Accepted, Wrong Answer, Time Limit Exceeded
// problem: conv1d
#include <cuda_runtime.h>

#define OUTPUTS 128
#define THREADS (2 * OUTPUTS)

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    extern __shared__ float s_input[]; // OUTPUTS + kernel_size - 1 elements

    int first = blockIdx.x * OUTPUTS;
    if (threadIdx.x < OUTPUTS) {
        for (int j = threadIdx.x; j < OUTPUTS + kernel_size - 1; j += OUTPUTS)
            s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
        asm volatile("bar.arrive 1, %0;" ::"n"(THREADS) : "memory");
        return;
    }
    asm volatile("bar.sync 2, %0;" ::"n"(THREADS) : "memory");
    int i = threadIdx.x - OUTPUTS;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += s_input[i + k] * kernel[k];
    if (first + i <= input_size - kernel_size)
        output[first + i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    size_t shared_bytes = (OUTPUTS + kernel_size - 1) * sizeof(float);
    convolve<<<(output_size + OUTPUTS - 1) / OUTPUTS, THREADS, shared_bytes>>>(input, kernel, output, input_size,
                                                                              kernel_size);
    cudaDeviceSynchronize();
}
