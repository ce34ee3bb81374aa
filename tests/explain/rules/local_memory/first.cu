// expect: Accepted
// problem: conv1d
// advice: local_memory
// case: 2
// sketch: #pragma unroll // with constant bounds, so that each index is known at compile time
// The number of outputs of a thread is a parameter: an array that is indexed by a loop whose end the compiler does not
// know cannot be kept in registers.
#include <cuda_runtime.h>

constexpr int THREADS = 128, MAX_OUTPUTS = 8;

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         int outputs)
{
    extern __shared__ float s_input[]; // THREADS * outputs + kernel_size - 1 elements
    int first = blockIdx.x * THREADS * outputs;
    for (int j = threadIdx.x; j < THREADS * outputs + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < output_size + kernel_size - 1 ? input[first + j] : 0.0f;
    __syncthreads();

    float sums[MAX_OUTPUTS];
    for (int o = 0; o < outputs; o++)
        sums[o] = 0.0f;
    for (int k = 0; k < kernel_size; k++) {
        float tap = kernel[k];
        for (int o = 0; o < outputs; o++)
            sums[o] += s_input[o * THREADS + threadIdx.x + k] * tap;
    }
    for (int o = 0; o < outputs; o++)
        if (first + o * THREADS + threadIdx.x < output_size)
            output[first + o * THREADS + threadIdx.x] = sums[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, outputs = output_size < 1000 ? 1 : MAX_OUTPUTS;
    int blocks = (output_size + THREADS * outputs - 1) / (THREADS * outputs);
    size_t bytes = (THREADS * outputs + kernel_size - 1) * sizeof(float);
    convolve<<<blocks, THREADS, bytes>>>(input, kernel, output, output_size, kernel_size, outputs);
    cudaDeviceSynchronize();
}
