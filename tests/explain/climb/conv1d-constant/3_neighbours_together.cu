// expect: Accepted
// problem: conv1d-constant
// advice: uncoalesced
// case: 3
// Neighbouring threads load and store neighbouring elements: inputs and outputs of a block pass through shared memory, where
// each thread finds its own. Model: solutions/conv1d-constant/accepted/register_tile.cu
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 15 // of a thread; odd, so that those of a warp lie in different banks of shared memory
#define TILE (THREADS * OUTPUTS)
#define MAX_FILTER_WIDTH 127

__constant__ float c_filter[MAX_FILTER_WIDTH];

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float s_tile[TILE + MAX_FILTER_WIDTH - 1];
    int start = blockIdx.x * TILE, first = start - filter_width / 2;
    for (int t = threadIdx.x; t < TILE + filter_width - 1; t += THREADS)
        s_tile[t] = first + t >= 0 && first + t < width ? input[first + t] : 0.0f;
    __syncthreads();

    float* mine = s_tile + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS]; // inputs k .. k + 14 of this thread
#pragma unroll
    for (int o = 0; o < OUTPUTS - 1; o++)
        window[o] = mine[o];
#pragma unroll 15
    for (int k = 0; k < filter_width; k++) {
        window[OUTPUTS - 1] = mine[k + OUTPUTS - 1];
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += window[o] * c_filter[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
    }
    __syncthreads(); // all inputs are used

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        mine[o] = sum[o];
    __syncthreads();
    for (int t = threadIdx.x; t < TILE && start + t < width; t += THREADS)
        output[start + t] = s_tile[t];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    cudaMemcpyToSymbol(c_filter, filter, filter_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
