// expect: Accepted
// problem: conv1d-constant
// advice: needless_barriers
// sketch: for (int k = 0; k < filter_width; k++) // no barrier inside
// The tile is written once, before the loop over the taps; yet all 512 threads wait for each other twice at every tap.
#include <cuda_runtime.h>

#define THREADS 512
#define OUTPUTS 7
#define TILE (THREADS * OUTPUTS)
#define MAX_FILTER_WIDTH 127

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float s_input[TILE + MAX_FILTER_WIDTH - 1];

    int first = blockIdx.x * TILE - filter_width / 2;
    for (int t = threadIdx.x; t < TILE + filter_width - 1; t += THREADS) {
        int j = first + t;
        s_input[t] = j >= 0 && j < width ? input[j] : 0.0f;
    }
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 6 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[o];

#pragma unroll 7 // the window rotates within the same registers
    for (int k = 0; k < filter_width; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
        __syncthreads(); // here
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * c_filter[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
        __syncthreads();
    }

    int i = blockIdx.x * TILE + threadIdx.x * OUTPUTS;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < width)
            output[i + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
