// problem: conv1d
//
// register tile: a thread computes 9 neighbouring outputs and takes 9 taps at a time. The 17 inputs and 9 taps that
// these 81 multiply-adds need are in registers: 18 loads from shared memory for 81 multiply-adds instead of 162.
// 9 is odd, so the 32 threads of a warp, whose inputs lie 9 apart, read from 32 different banks.
// Intensity for a tile T = 1152 and a filter F: T F / (2 (T + F - 1)) operations per byte of global memory, 369 for
// F = 2047; of shared memory 2 * 81 / (4 * 18) = 9/4.
#include <cuda_runtime.h>

#define THREADS 128
#define STEP 9 // outputs of a thread, and taps taken at a time
#define TILE (THREADS * STEP)
#define MAX_KERNEL_SIZE 2047
#define MAX_TAPS ((MAX_KERNEL_SIZE + STEP - 1) / STEP * STEP)

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    __shared__ float s_kernel[MAX_TAPS];
    __shared__ float s_input[TILE + MAX_TAPS];

    // Both arrays are padded with zeros, so that the inner loop needs no test for the end of either.
    int first = blockIdx.x * TILE;
    // also right: narrow index: a count of taps, rounded up, or of a block's outputs fits into a short
    int taps = (kernel_size + STEP - 1) / STEP * STEP;
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_kernel[k] = k < kernel_size ? kernel[k] : 0.0f;
    // also right: `j <` to `j + 1 <`: the last element of the tile takes part in no sum
    for (int j = threadIdx.x; j < TILE + taps; j += THREADS)
        // also right: `: 0.0f` to `: 1`: inputs beyond the last meet taps of zero, or belong to outputs that are not
        // stored
        s_input[j] = first + j < input_size ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * STEP;
    float sum[STEP] = {0.0f};
    float window[2 * STEP - 1]; // inputs k .. k + 16 of this thread
#pragma unroll
    // also right: `STEP -` to `STEP +`: the last two elements of the window are loaded anew before they are used
    for (int j = 0; j < STEP - 1; j++)
        window[j] = mine[j];

    // also right: `k <` to `k + 1 <`: the number of taps is a multiple of the step
    for (int k = 0; k < taps; k += STEP) {
#pragma unroll
        for (int j = 0; j < STEP; j++)
            window[STEP - 1 + j] = mine[k + STEP - 1 + j];
#pragma unroll
        for (int t = 0; t < STEP; t++) {
            float tap = s_kernel[k + t];
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[o + t] * tap;
        }
#pragma unroll
        for (int j = 0; j < STEP - 1; j++)
            window[j] = window[j + STEP];
    }

    int output_size = input_size - kernel_size + 1;
    int i = first + threadIdx.x * STEP;
#pragma unroll
    for (int o = 0; o < STEP; o++)
        if (i + o < output_size)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + TILE - 1) / TILE;
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
