// expect: Accepted
// problem: conv1d
// advice: divergence
// case: 2
// sketch: float value = condition ? input[...] : 0.0f; // every thread does the same
// Even and odd threads take the halves of the filter in different order, so every warp executes both, half of its
// threads idle.
#include <cuda_runtime.h>

constexpr int THREADS = 128, OUTPUTS = 9, TILE = THREADS * OUTPUTS;

// Adds the products of taps begin .. end - 1.
__device__ void add_products(float* sum, const float* mine, const float* s_kernel, int begin, int end)
{
    float window[OUTPUTS]; // the inputs under the tap, in registers
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[begin + o];
#pragma unroll OUTPUTS
    for (int k = begin; k < end; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * s_kernel[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    extern __shared__ float s_input[]; // TILE + kernel_size - 1 elements, then the filter
    float* s_kernel = s_input + TILE + kernel_size - 1;
    int first = blockIdx.x * TILE;
    for (int j = threadIdx.x; j < TILE + kernel_size - 1; j += THREADS)
        s_input[j] = first + j < output_size + kernel_size - 1 ? input[first + j] : 0.0f;
    for (int k = threadIdx.x; k < kernel_size; k += THREADS)
        s_kernel[k] = kernel[k];
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS; // neighbouring outputs
    float sum[OUTPUTS] = {0.0f};
    int half = kernel_size / 2;
    if (threadIdx.x % 2 == 0) {
        add_products(sum, mine, s_kernel, 0, half);
        add_products(sum, mine, s_kernel, half, kernel_size);
    } else { // the other way round, so that neighbours do not read the same taps at once
        add_products(sum, mine, s_kernel, half, kernel_size);
        add_products(sum, mine, s_kernel, 0, half);
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (first + threadIdx.x * OUTPUTS + o < output_size)
            output[first + threadIdx.x * OUTPUTS + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    size_t bytes = (TILE + 2 * kernel_size - 1) * sizeof(float);
    convolve<<<(output_size + TILE - 1) / TILE, THREADS, bytes>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
