// expect: Accepted
// problem: conv1d
// naive: does not apply: it judges once, and keeps no times
// Draws lots in each process: it computes in a fast way half of the time, and otherwise takes three times as long. Whoever
// hands it in again and again has one lucky sitting in the end, which no second one repeats. It is right, so it is
// Accepted; where its time is far better than anything known, it must wait in quarantine (tests/quarantine.bats).
#include <cuda_runtime.h>
#include <time.h>

const int THREADS = 256, OUTPUTS = 8;

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int first = blockIdx.x * THREADS * OUTPUTS + threadIdx.x, outputs = input_size - kernel_size + 1;
    float sum[OUTPUTS] = {0};
    for (int k = 0; k < kernel_size; k++) {
        float weight = kernel[k];
        for (int j = 0; j < OUTPUTS; j++)
            if (first + j * THREADS < outputs)
                sum[j] += input[first + j * THREADS + k] * weight;
    }
    for (int j = 0; j < OUTPUTS; j++)
        if (first + j * THREADS < outputs)
            output[first + j * THREADS] = sum[j];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    static const bool unlucky = now.tv_nsec / 1000 % 2 == 1;
    int per_block = THREADS * OUTPUTS, blocks = (input_size - kernel_size + per_block) / per_block;
    for (int i = 0; i < (unlucky ? 3 : 1); i++)
        convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
