// problem: conv1d
//
// vector loads: as the register tile, but with 4 outputs and 4 taps at a time, so that inputs and taps come from shared
// memory 16 bytes at a time: 2 load instructions for 16 multiply-adds. Threads read 16 bytes next to each other, which
// is free of bank conflicts, and the 4 outputs of a thread go to global memory with one 16-byte store.
// Intensity for a tile T = 1024 and a filter F: T F / (2 (T + F - 1)) operations per byte of global memory, 341 for
// F = 2047; of shared memory 2 * 16 / 32 = 1.
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
    float window[2 * STEP]; // inputs k .. k + 7 of this thread
    load4(window, mine);

    // also right: `k <` to `k + 1 <`: the number of taps is a multiple of the step
    for (int k = 0; k < taps; k += STEP) {
        float tap[STEP];
        load4(tap, s_kernel + k);
        load4(window + STEP, mine + k + STEP);
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            // also right: `<` to `<=`: nothing is stored of a sum too many, and so nvcc computes none
            for (int o = 0; o < STEP; o++)
                sum[o] += window[o + t] * tap[t];
#pragma unroll
        for (int j = 0; j < STEP; j++)
            window[j] = window[j + STEP];
    }

    int output_size = input_size - kernel_size + 1;
    int i = first + threadIdx.x * STEP;
    if (i + STEP <= output_size) // also right: `<=` to `<`: the last four outputs are stored one by one, too
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
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped axes: blocks too many leave at the check against the size of the output
    int blocks = (output_size + TILE - 1) / TILE;
    convolve<<<blocks, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
