// expect: Accepted
// problem: conv1d
// advice: fast_convolution
// case: 1
// sketch: // two tiles: the real and the imaginary part
// sketch: 6 steps of radix 4 and one of radix 2, each followed by a barrier
// sketch: s_points[k] *= spectrum[k]; // complex product with the transform of the zero-padded filter
// sketch: inverse_fft(s_points); // discard the first
// sketch: elements, starting
// 9 neighbouring outputs a thread from shared memory: a direct convolution has little left to gain.
#include <cuda_runtime.h>

constexpr int THREADS = 128, OUTPUTS = 9, TILE = THREADS * OUTPUTS;

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

    const float* mine = s_input + threadIdx.x * OUTPUTS; // neighbouring outputs, whose inputs stay in registers
    float sum[OUTPUTS] = {0.0f}, window[OUTPUTS];
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[o];
#pragma unroll OUTPUTS
    for (int k = 0; k < kernel_size; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * s_kernel[k]; // here
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
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
