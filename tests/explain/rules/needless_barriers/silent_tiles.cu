// expect: Accepted
// problem: conv1d
// no advice: needless_barriers
// A block takes the filter and its inputs in tiles of 128 taps: the barrier before a tile is written and the one behind it
// are both needed, however many there are.
#include <cuda_runtime.h>

constexpr int THREADS = 128, EACH = 7, TILE = THREADS * EACH, STEP = 128;

__global__ void convolve(const float* input, const float* kernel, float* output, int n, int m)
{
    __shared__ float s_in[TILE + STEP];
    __shared__ float s_taps[STEP];

    int start = blockIdx.x * TILE, me = threadIdx.x * EACH;
    float acc[EACH] = {};
    for (int base = 0; base < m; base += STEP) {
        __syncthreads(); // the tile before this one is not read any longer
        s_taps[threadIdx.x] = base + threadIdx.x < m ? kernel[base + threadIdx.x] : 0.0f;
        for (int j = threadIdx.x; j < TILE + STEP; j += THREADS)
            s_in[j] = start + base + j < n ? input[start + base + j] : 0.0f;
        __syncthreads();
        float window[EACH];
#pragma unroll
        for (int o = 0; o < EACH - 1; o++)
            window[o] = s_in[me + o];
#pragma unroll 7
        for (int k = 0; k < STEP; k++) {
            window[EACH - 1] = s_in[me + k + EACH - 1];
#pragma unroll
            for (int o = 0; o < EACH; o++)
                acc[o] += window[o] * s_taps[k];
#pragma unroll
            for (int o = 0; o < EACH - 1; o++)
                window[o] = window[o + 1];
        }
    }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (start + me + o < n - m + 1)
            output[start + me + o] = acc[o];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int outputs = input_size - kernel_size + 1;
    convolve<<<(outputs + TILE - 1) / TILE, THREADS>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
