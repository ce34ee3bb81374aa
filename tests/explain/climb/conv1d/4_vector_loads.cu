// expect: Accepted
// problem: conv1d
// advice: vector_loads
// A thread computes 4 neighbouring outputs and takes 4 taps at a time: inputs and taps come from shared memory 16 bytes
// at a time, and the outputs leave 16 bytes at a time. Model: solutions/conv1d/accepted/vector_loads.cu
#include <cuda_runtime.h>

#define THREADS 256
#define OUTPUTS 4 // of a thread
#define STEP 4    // taps taken at a time: one float4
#define TILE (THREADS * OUTPUTS)
#define MAX_TAPS 2048 // of the filter, filled up with zeros to a multiple of STEP

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ __align__(16) float s_kernel[MAX_TAPS];
    __shared__ __align__(16) float s_input[TILE + MAX_TAPS];

    int first = blockIdx.x * TILE;
    int taps = (kernel_size + STEP - 1) / STEP * STEP;
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_kernel[k] = k < kernel_size ? kernel[k] : 0.0f;
    for (int j = threadIdx.x; j < TILE + taps; j += THREADS)
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float4 left = *(const float4*)mine; // inputs k .. k + 3 of this thread
    for (int k = 0; k < taps; k += STEP) {
        float4 right = *(const float4*)(mine + k + STEP);
        float4 four = *(const float4*)(s_kernel + k);
        float window[OUTPUTS + STEP] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
        float tap[STEP] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o + t] * tap[t];
        left = right;
    }

    int output_size = input_size - kernel_size + 1;
    int i = first + threadIdx.x * OUTPUTS;
    if (i + OUTPUTS <= output_size)
        *(float4*)(output + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
        for (int o = 0; o < OUTPUTS; o++)
            if (i + o < output_size)
                output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + TILE - 1) / TILE, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
