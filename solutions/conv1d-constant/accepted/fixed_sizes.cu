// problem: conv1d-constant
//
// loops of fixed length: the number of taps is a template parameter, so that the compiler unrolls the loop, and taps
// are operands of multiply-adds by their address in constant memory, without any instruction that loads them. Narrower
// filters are flipped and padded with zeros on both sides to 15, 31, 63 or 127 taps, on the host.
// Operations per byte read from global memory as any tile, T F / (2 (T + F - 1)) with T = 256; one load from shared
// memory per multiply-add is all that is left.
#include <cuda_runtime.h>

#define TILE 256
#define MAX_TAPS 127

__constant__ float c_reversed[MAX_TAPS];

template <int TAPS>
__global__ void convolve(const float* input, float* output, int width)
{
    __shared__ float s_input[TILE + TAPS - 1];

    int first = blockIdx.x * TILE - TAPS / 2;
    for (int t = threadIdx.x; t < TILE + TAPS - 1; t += TILE) {
        int j = first + t;
        s_input[t] = j >= 0 && j < width ? input[j] : 0.0f;
    }
    __syncthreads();

    int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= width)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += s_input[threadIdx.x + TAPS - 1 - k] * c_reversed[k];
    output[i] = sum;
}

template <int TAPS>
void run(const float* input, const float* taps, float* output, int width, int filter_width)
{
    float reversed[MAX_TAPS] = {0.0f};
    for (int k = 0; k < filter_width; k++)
        reversed[TAPS / 2 + filter_width / 2 - k] = taps[k];
    cudaMemcpyToSymbol(c_reversed, reversed, sizeof reversed);
    convolve<TAPS><<<(width + TILE - 1) / TILE, TILE>>>(input, output, width);
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    // also right: array too short: compilers give an array on the host's stack whole groups of 16 bytes, which hold the
    // 127th tap as well
    float taps[MAX_TAPS];
    cudaMemcpy(taps, filter, filter_width * sizeof(float), cudaMemcpyDeviceToHost);
    // also right: `filter_width <=` to `filter_width - 1 <=`: filters have an odd number of taps
    // also right: `<=` to `<`: the kernel for more taps serves fewer as well
    if (filter_width <= 15)
        run<15>(input, taps, output, width, filter_width);
    // also right: `filter_width <=` to `filter_width - 1 <=`: filters have an odd number of taps
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    else if (filter_width <= 31)
        run<31>(input, taps, output, width, filter_width);
    // also right: `filter_width <=` to `filter_width - 1 <=`: filters have an odd number of taps
    // also right: `<=` to `<`: the kernel for more taps serves fewer as well
    else if (filter_width <= 63)
        run<63>(input, taps, output, width, filter_width);
    else
        run<127>(input, taps, output, width, filter_width);
    cudaDeviceSynchronize();
}
