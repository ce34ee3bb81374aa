// expect: Accepted
// problem: conv1d
// no advice: vector_loads
// Taps and inputs leave shared memory four at a time. Model: solutions/conv1d/accepted/vector_loads.cu
#include <cuda_runtime.h>

#define THREADS 256
#define STEP 4 // outputs of a thread, and taps taken at a time: one float4
#define TILE (THREADS * STEP)
#define MAX_KERNEL_SIZE 2047
#define MAX_TAPS ((MAX_KERNEL_SIZE + STEP - 1) / STEP * STEP)

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ __align__(16) float s_kernel[MAX_TAPS];
    __shared__ __align__(16) float s_input[TILE + MAX_TAPS];

    // Both arrays are padded with zeros, so that the inner loop needs no test for the end of either.
    int first = blockIdx.x * TILE;
    int taps = (kernel_size + STEP - 1) / STEP * STEP;
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_kernel[k] = k < kernel_size ? kernel[k] : 0.0f;
    for (int j = threadIdx.x; j < TILE + taps; j += THREADS)
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * STEP;
    float sum[STEP] = {0.0f};
    float window[2 * STEP]; // inputs k .. k + 7 of this thread
    load4(window, mine);

    for (int k = 0; k < taps; k += STEP) {
        float tap[STEP];
        load4(tap, s_kernel + k);
        load4(window + STEP, mine + k + STEP);
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[o + t] * tap[t];
#pragma unroll
        for (int j = 0; j < STEP; j++)
            window[j] = window[j + STEP];
    }

    int output_size = input_size - kernel_size + 1;
    int i = first + threadIdx.x * STEP;
    if (i + STEP <= output_size)
        *reinterpret_cast<float4*>(output + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else {
#pragma unroll
        for (int o = 0; o < STEP; o++)
            if (i + o < output_size)
                output[i + o] = sum[o];
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + TILE - 1) / TILE;
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
