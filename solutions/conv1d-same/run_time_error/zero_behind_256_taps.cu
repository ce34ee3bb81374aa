// Mistake: filters of up to 256 taps are kept in shared memory with a zero behind them, for which there is no room.
// problem: conv1d-same
#include <cuda_runtime.h>

#define STEP 4
#define MOST_TAPS 256

__device__ float element(const float* input, int i, int width)
{
    return i >= 0 && i < width ? input[i] : 0.0f;
}

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ float s_filter[MOST_TAPS];
    bool fits = filter_width <= MOST_TAPS;
    int taps = (filter_width + STEP - 1) / STEP * STEP;
    for (int k = threadIdx.x; fits && k <= taps; k += blockDim.x)
        s_filter[k] = k < filter_width ? filter[k] : 0.0f;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < filter_width; k++)
        sum += element(input, i - filter_width / 2 + k, width) * (fits ? s_filter[k] : filter[k]);
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    convolve<<<(width + 255) / 256, 256>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
