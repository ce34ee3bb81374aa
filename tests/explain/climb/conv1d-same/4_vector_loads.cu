// expect: Accepted
// problem: conv1d-same
// advice: uncoalesced
// case: 3
// The outputs of a thread leave 16 bytes at a time. For that it computes 12 neighbouring ones, and takes 4 taps at a time:
// inputs and taps come from shared memory 16 bytes at a time, too. Model: solutions/conv1d-same/accepted/vector_loads.cu
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 12 // of a thread: 8 threads, as many as one 16-byte access serves at once, meet all 32 banks
#define STEP 4     // taps taken at a time: one float4
#define TILE (THREADS * OUTPUTS)
#define MAX_TAPS 2048 // of the filter, filled up with zeros to a multiple of STEP

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ __align__(16) float s_filter[MAX_TAPS];
    __shared__ __align__(16) float s_input[TILE + MAX_TAPS];

    int first = blockIdx.x * TILE - filter_width / 2;
    int taps = (filter_width + STEP - 1) / STEP * STEP;
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_filter[k] = k < filter_width ? filter[k] : 0.0f;
    for (int j = threadIdx.x; j < TILE + taps; j += THREADS)
        s_input[j] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f;
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    __align__(16) float window[OUTPUTS + STEP]; // inputs k .. k + 15 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS; o += 4)
        *(float4*)(window + o) = *(const float4*)(mine + o);
#pragma unroll 4
    for (int k = 0; k < taps; k += STEP) {
        __align__(16) float tap[STEP];
        *(float4*)tap = *(const float4*)(s_filter + k);
        *(float4*)(window + OUTPUTS) = *(const float4*)(mine + k + OUTPUTS);
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o + t] * tap[t];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            window[o] = window[o + STEP];
    }

    int i = blockIdx.x * TILE + threadIdx.x * OUTPUTS;
    if (i + OUTPUTS <= width) {
#pragma unroll
        for (int o = 0; o < OUTPUTS; o += 4)
            *(float4*)(output + i + o) = make_float4(sum[o], sum[o + 1], sum[o + 2], sum[o + 3]);
    } else
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            if (i + o < width)
                output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
