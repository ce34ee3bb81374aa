// A thread computes eight neighbouring outputs, and slides a window of eight inputs in registers along the taps.
// problem: conv1d-same
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    extern __shared__ float shared[];
    float *taps = shared, *tile = shared + filter_width;
    int first = blockIdx.x * 1024 - filter_width / 2;
    for (int k = threadIdx.x; k < filter_width; k += 128)
        taps[k] = filter[k];
    for (int j = threadIdx.x; j < 1024 + filter_width; j += 128)
        tile[j + j / 8] = first + j >= 0 && first + j < width ? input[first + j] : 0.0f; // every ninth word is a gap
    __syncthreads();
    float sum[8] = {0.0f}, window[8];
    int mine = threadIdx.x * 8;
#pragma unroll
    for (int j = 0; j < 7; j++)
        window[j] = tile[(mine + j) + (mine + j) / 8];
    for (int k = 0; k < filter_width; k++) {
        int next = mine + k + 7;
        window[7] = tile[next + next / 8];
        float tap = taps[k];
#pragma unroll
        for (int o = 0; o < 8; o++)
            sum[o] += window[o] * tap;
#pragma unroll
        for (int j = 0; j < 7; j++)
            window[j] = window[j + 1];
    }
#pragma unroll
    for (int o = 0; o < 8; o++)
        if (blockIdx.x * 1024 + mine + o < width)
            output[blockIdx.x * 1024 + mine + o] = sum[o];
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int tile = 1024 + filter_width + 8;
    size_t bytes = (filter_width + tile + tile / 8 + 1) * sizeof(float);
    convolve<<<(width + 1023) / 1024, 128, bytes>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
