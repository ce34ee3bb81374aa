// problem: conv1d-constant
//
// wide loads: 4 outputs per thread, and 4 inputs come from shared memory with one 16-byte load, for 16 multiply-adds.
// Zeros behind the filter fill constant memory up to a multiple of 4 taps; the 4 outputs leave with one store.
// Operations per byte read from shared memory, for S outputs per thread: 2 S / 4, here 2; from global memory as any
// tile, T F / (2 (T + F - 1)) with T = 1024.
#include <cuda_runtime.h>

#define THREADS 256
#define STEP 4 // outputs of a thread, and taps taken at a time: one float4
#define TILE (THREADS * STEP)
#define MAX_TAPS 128

__constant__ float c_filter[MAX_TAPS];

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ __align__(16) float s_input[TILE + MAX_TAPS];

    // also right: narrow index: a count of taps, rounded up, fits into a short
    int taps = (filter_width + STEP - 1) / STEP * STEP;
    int first = blockIdx.x * TILE - filter_width / 2;
    // also right: `t <` to `t + 1 <`: the last element of the tile takes part in no sum
    for (int t = threadIdx.x; t < TILE + taps; t += THREADS) {
        int j = first + t;
        s_input[t] = j >= 0 && j < width ? input[j] : 0.0f;
    }
    __syncthreads();

    const float* mine = s_input + threadIdx.x * STEP;
    float sum[STEP] = {0.0f};
    float window[2 * STEP]; // inputs k .. k + 7 of this thread
    load4(window, mine);
    // also right: `k <` to `k + 1 <`: the number of taps, rounded up, is a multiple of the step
    for (int k = 0; k < taps; k += STEP) {
        load4(window + STEP, mine + k + STEP);
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[o + t] * c_filter[k + t];
#pragma unroll
        for (int j = 0; j < STEP; j++)
            window[j] = window[j + STEP];
    }

    int i = blockIdx.x * TILE + threadIdx.x * STEP;
    if (i + STEP <= width) // also right: `<=` to `<`: the last four outputs are stored one by one, too
        *reinterpret_cast<float4*>(output + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else {
#pragma unroll
        // also right: `o <` to `o + 1 <`: where four outputs do not fit, three at most are written
        for (int o = 0; o < STEP; o++)
            if (i + o < width)
                output[i + o] = sum[o];
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    void* taps;
    cudaGetSymbolAddress(&taps, c_filter);
    cudaMemcpyAsync(taps, filter, filter_width * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemsetAsync((float*)taps + filter_width, 0, (MAX_TAPS - filter_width) * sizeof(float));
    convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
