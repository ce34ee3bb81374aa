// expect: Accepted
// problem: conv1d-same
// advice: reread
// sketch: // 0 outside it
// Seven outputs in registers; their inputs come from global memory, where those of neighbouring threads lie 7 apart: many
// wavefronts for each load.
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 7 // of a thread; odd, so that the inputs of a warp lie in different banks of the L1

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    if (i >= width)
        return;

    int first = i - filter_width / 2;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 6 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = first + o >= 0 && first + o < width ? input[first + o] : 0.0f;
#pragma unroll 7
    for (int k = 0; k < filter_width; k++) {
        int newest = first + k + OUTPUTS - 1;
        window[OUTPUTS - 1] = newest >= 0 && newest < width ? input[newest] : 0.0f; // here
        float tap = filter[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < width)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int outputs_of_a_block = THREADS * OUTPUTS;
    int blocks = (width + outputs_of_a_block - 1) / outputs_of_a_block;
    convolve<<<blocks, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
